class Tend < Formula
  desc "Keeps the markdown memory of LLM agents whole, small and true"
  homepage "{{base}}"
  version "{{version}}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "{{base}}/v{{version}}/tend_{{version}}_darwin_arm64.tar.gz"
      sha256 "{{sha256 darwin/arm64}}"
    end
    on_intel do
      url "{{base}}/v{{version}}/tend_{{version}}_darwin_amd64.tar.gz"
      sha256 "{{sha256 darwin/amd64}}"
    end
  end

  on_linux do
    on_arm do
      url "{{base}}/v{{version}}/tend_{{version}}_linux_arm64.tar.gz"
      sha256 "{{sha256 linux/arm64}}"
    end
    on_intel do
      url "{{base}}/v{{version}}/tend_{{version}}_linux_amd64.tar.gz"
      sha256 "{{sha256 linux/amd64}}"
    end
  end

  def install
    bin.install "tend"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/tend.bash" => "tend"
    zsh_completion.install "completions/_tend"
    fish_completion.install "completions/tend.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tend version")
  end
end
