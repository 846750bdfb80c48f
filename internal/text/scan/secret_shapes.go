package scan

const rotate = "Revoke it where it was issued, keep the new one in a secret store, and write only its name here."

// secretRule returns a rule whose hit is the value itself.
func secretRule(code string, sev Severity, what string, patterns ...pattern) rule {
	return rule{Info: Info{"secret." + code, Secret, sev, what, rotate}, patterns: patterns, value: true}
}

// pattern returns a pattern that tries the shape at its first literal.
func (s shape) pattern() pattern {
	return pattern{keys: []string{s.key()}, at: func(b []byte, key int) (int, int, bool) {
		end, ok := s.match(b, key)
		return key, end, ok
	}}
}

// shapeRules match tokens that name their issuer in a prefix. Lengths are as issued today, with
// some tolerance where issuers have changed them before.
func shapeRules() []rule {
	var (
		alnum = chars("A-Za-z0-9")
		caps  = chars("A-Z0-9")
		hex   = chars("0-9a-f")
		hexes = chars("0-9a-fA-F")
		word  = chars("A-Za-z0-9_-")
		under = chars("A-Za-z0-9_")
		b32   = chars("A-Z2-7")
		b64   = chars("A-Za-z0-9+/")
		b64eq = chars("A-Za-z0-9+/=")
		dots  = chars("A-Za-z0-9_.-")
		digit = chars("0-9")
	)
	s := func(parts ...part) shape { return parts }
	r := func(code, what string, shapes ...shape) rule {
		var patterns []pattern
		for _, sh := range shapes {
			patterns = append(patterns, sh.pattern())
		}
		return secretRule(code, High, "Looks like "+what+".", patterns...)
	}
	return []rule{
		r("aws-access-key", "an AWS access key id",
			s(lit("AKIA"), run(b32, 16, 16)), s(lit("ASIA"), run(b32, 16, 16)), s(lit("ABIA"), run(b32, 16, 16)), s(lit("ACCA"), run(b32, 16, 16))),
		r("aws-bedrock-key", "an AWS Bedrock API key", s(lit("ABSK"), run(b64eq, 100, 280))),
		r("github-pat", "a GitHub personal access token", s(lit("ghp_"), run(alnum, 36, 255)), s(lit("github_pat_"), run(under, 60, 255))),
		r("github-oauth", "a GitHub OAuth token", s(lit("gho_"), run(alnum, 36, 255))),
		r("github-app", "a GitHub app token", s(lit("ghu_"), run(alnum, 36, 255)), s(lit("ghs_"), run(dots, 36, 600))),
		r("github-refresh", "a GitHub refresh token", s(lit("ghr_"), run(alnum, 36, 255))),
		r("gitlab-token", "a GitLab token",
			s(lit("glpat-"), run(dots, 20, 320)), s(lit("gldt-"), run(word, 20, 64)), s(lit("glrt-"), run(dots, 20, 320)), s(lit("glptt-"), run(word, 20, 64)),
			s(lit("glcbt-"), run(word, 20, 80)), s(lit("glft-"), run(word, 20, 64)), s(lit("glsoat-"), run(word, 20, 64)), s(lit("glagent-"), run(word, 40, 80)),
			s(lit("gloas-"), run(word, 40, 80)), s(lit("glimt-"), run(word, 20, 64)), s(lit("glffct-"), run(word, 20, 64))),
		r("slack-token", "a Slack token",
			s(lit("xoxb-"), run(word, 20, 255)), s(lit("xoxp-"), run(word, 20, 255)), s(lit("xoxa-"), run(word, 20, 255)), s(lit("xoxr-"), run(word, 20, 255)),
			s(lit("xoxs-"), run(word, 20, 255)), s(lit("xoxo-"), run(word, 20, 255)), s(lit("xoxc-"), run(word, 20, 255)), s(lit("xoxe-"), run(word, 20, 400)),
			s(lit("xoxd-"), run(chars("A-Za-z0-9%+/=_-"), 40, 400)), s(lit("xoxe.xox"), run(chars("bp"), 1, 1), lit("-"), run(word, 20, 400)), s(lit("xapp-"), run(word, 30, 255))),
		r("slack-webhook", "a Slack webhook address", s(lit("hooks.slack.com/"), run(chars("a-z"), 7, 9), lit("/T"), run(caps, 6, 14), lit("/"), run(alnum, 6, 14), lit("/"), run(alnum, 16, 48))),
		r("stripe-key", "a Stripe secret key",
			s(lit("sk_live_"), run(alnum, 16, 255)), s(lit("sk_test_"), run(alnum, 16, 255)), s(lit("rk_live_"), run(alnum, 16, 255)), s(lit("rk_test_"), run(alnum, 16, 255))),
		r("webhook-secret", "a webhook signing secret", s(lit("whsec_"), run(b64eq, 24, 128))),
		r("openai-key", "an OpenAI API key",
			s(lit("sk-proj-"), run(word, 40, 255)), s(lit("sk-svcacct-"), run(word, 40, 255)), s(lit("sk-admin-"), run(word, 40, 255)), s(lit("sk-None-"), run(word, 40, 255))),
		r("anthropic-key", "an Anthropic API key", s(lit("sk-ant-"), run(word, 40, 255))),
		r("openrouter-key", "an OpenRouter API key", s(lit("sk-or-v1-"), run(hex, 64, 64))),
		r("sk-key", "an API key of the sk- kind", s(lit("sk-"), run(alnum, 20, 128))),
		r("google-api-key", "a Google API key", s(lit("AIza"), run(word, 35, 35))),
		r("google-oauth", "a Google OAuth secret or token", s(lit("GOCSPX-"), run(word, 20, 40)), s(lit("ya29."), run(dots, 30, 1024)), s(lit("1//0"), run(word, 40, 160))),
		r("tend-token", "a token of Tend's keeper", s(lit("tend_"), run(chars("a-z2-7"), 26, 64))),
		r("npm-token", "an npm token", s(lit("npm_"), run(alnum, 36, 36))),
		r("pypi-token", "a PyPI token", s(lit("pypi-Ag"), run(word, 50, 600))),
		r("huggingface-token", "a Hugging Face token", s(lit("hf_"), run(alnum, 30, 40)), s(lit("api_org_"), run(alnum, 30, 40))),
		r("discord-webhook", "a Discord webhook address",
			s(lit("discord.com/api/webhooks/"), run(digit, 16, 21), lit("/"), run(word, 50, 90)), s(lit("discordapp.com/api/webhooks/"), run(digit, 16, 21), lit("/"), run(word, 50, 90))),
		r("sendgrid-key", "a SendGrid API key", s(lit("SG."), run(word, 16, 32), lit("."), run(word, 32, 64))),
		r("digitalocean-token", "a DigitalOcean token", s(lit("dop_v1_"), run(hex, 64, 64)), s(lit("doo_v1_"), run(hex, 64, 64)), s(lit("dor_v1_"), run(hex, 64, 64))),
		r("docker-token", "a Docker Hub token", s(lit("dckr_pat_"), run(word, 20, 64)), s(lit("dckr_oat_"), run(word, 20, 64))),
		r("vault-token", "a HashiCorp Vault token", s(lit("hvs."), run(word, 24, 300)), s(lit("hvb."), run(word, 100, 300)), s(lit("hvr."), run(word, 24, 300))),
		r("databricks-token", "a Databricks token", s(lit("dapi"), run(hex, 32, 32)), s(lit("dapi"), run(hex, 32, 32), lit("-"), run(digit, 1, 2))),
		r("mailgun-key", "a Mailgun key", s(lit("key-"), run(hex, 32, 32))),
		r("shopify-token", "a Shopify token", s(lit("shpat_"), run(hexes, 32, 32)), s(lit("shpca_"), run(hexes, 32, 32)), s(lit("shppa_"), run(hexes, 32, 32)), s(lit("shpss_"), run(hexes, 32, 32))),
		r("square-token", "a Square token", s(lit("sq0atp-"), run(word, 22, 60)), s(lit("sq0csp-"), run(word, 43, 60)), s(lit("EAAA"), run(word, 60, 60))),
		r("age-key", "an age secret key", s(lit("AGE-SECRET-KEY-1"), run(caps, 58, 58)), s(lit("AGE-SECRET-KEY-PQ-1"), run(caps, 50, 120))),
		r("grafana-token", "a Grafana token", s(lit("glsa_"), run(alnum, 32, 32), lit("_"), run(hexes, 8, 8)), s(lit("glc_"), run(b64eq, 32, 400))),
		r("linear-key", "a Linear API key", s(lit("lin_api_"), run(alnum, 40, 40)), s(lit("lin_oauth_"), run(alnum, 40, 64))),
		r("notion-token", "a Notion token", s(lit("ntn_"), run(alnum, 40, 60)), s(lit("secret_"), run(alnum, 43, 43))),
		r("figma-token", "a Figma token", s(lit("figd_"), run(word, 36, 60))),
		r("postman-key", "a Postman key", s(lit("PMAK-"), run(hex, 24, 24), lit("-"), run(hex, 34, 34))),
		r("newrelic-key", "a New Relic key", s(lit("NRAK-"), run(caps, 27, 27)), s(lit("NRII-"), run(word, 32, 32))),
		r("sentry-token", "a Sentry token", s(lit("sntrys_"), run(b64eq, 40, 300)), s(lit("sntryu_"), run(hex, 64, 64))),
		r("doppler-token", "a Doppler token", s(lit("dp.pt."), run(alnum, 40, 44)), s(lit("dp.st."), run(dots, 40, 80)), s(lit("dp.sa."), run(alnum, 40, 44))),
		r("rubygems-key", "a RubyGems key", s(lit("rubygems_"), run(hex, 48, 48))),
		r("crates-token", "a crates.io token", s(lit("cio"), run(alnum, 32, 32))),
		r("supabase-token", "a Supabase token", s(lit("sbp_"), run(hex, 40, 40)), s(lit("sb_secret_"), run(word, 30, 60))),
		r("planetscale-token", "a PlanetScale token", s(lit("pscale_tkn_"), run(word, 32, 64)), s(lit("pscale_pw_"), run(word, 32, 64)), s(lit("pscale_oauth_"), run(word, 32, 64))),
		r("tailscale-key", "a Tailscale key", s(lit("tskey-"), run(chars("a-z"), 3, 8), lit("-"), run(word, 20, 80))),
		r("netlify-token", "a Netlify token", s(lit("nfp_"), run(alnum, 36, 40))),
		r("fly-token", "a Fly.io token", s(lit("fo1_"), run(word, 43, 43)), s(lit("fm2_"), run(b64eq, 80, 1024)), s(lit("fm1r_"), run(b64eq, 80, 1024))),
		r("pulumi-token", "a Pulumi token", s(lit("pul-"), run(hex, 40, 40))),
		r("groq-key", "a Groq API key", s(lit("gsk_"), run(alnum, 40, 64))),
		r("xai-key", "an xAI API key", s(lit("xai-"), run(alnum, 70, 90))),
		r("perplexity-key", "a Perplexity API key", s(lit("pplx-"), run(alnum, 40, 64))),
		r("replicate-token", "a Replicate token", s(lit("r8_"), run(alnum, 37, 40))),
		r("atlassian-token", "an Atlassian token", s(lit("ATATT3"), run(chars("A-Za-z0-9_=-"), 100, 260)), s(lit("ATBB"), run(alnum, 28, 36)), s(lit("ATCTT3"), run(chars("A-Za-z0-9_=-"), 100, 260))),
		r("heroku-key", "a Heroku API key", s(lit("HRKU-"), run(word, 36, 70))),
		r("dynatrace-token", "a Dynatrace token", s(lit("dt0c01."), run(caps, 24, 24), lit("."), run(caps, 64, 64)), s(lit("dt0s01."), run(caps, 8, 24), lit("."), run(caps, 64, 64))),
		r("alibaba-key", "an Alibaba Cloud access key", s(lit("LTAI"), run(alnum, 16, 24))),
		r("onepassword-token", "a 1Password service account token", s(lit("ops_eyJ"), run(b64eq, 200, 1200))),
		r("airtable-token", "an Airtable token", s(lit("pat"), run(alnum, 14, 14), lit("."), run(hex, 64, 64))),
		r("azure-storage-key", "an Azure storage account key", s(lit("AccountKey="), run(b64, 86, 86), lit("=="))),
		r("meta-token", "a Meta access token", s(lit("EAA"), run(alnum, 100, 400))),
		r("sourcegraph-token", "a Sourcegraph token", s(lit("sgp_"), run(hexes, 16, 16), lit("_"), run(hexes, 40, 40)), s(lit("sgp_"), run(hexes, 40, 40)), s(lit("sgp_local_"), run(hexes, 40, 40))),
		r("contentful-token", "a Contentful token", s(lit("CFPAT-"), run(word, 40, 60))),
		r("mapbox-token", "a secret Mapbox token", s(lit("sk.eyJ"), run(word, 40, 200), lit("."), run(word, 20, 40))),
		r("vercel-token", "a Vercel token", s(lit("vcp_"), run(alnum, 40, 80)), s(lit("vck_"), run(alnum, 40, 80))),
		r("buildkite-token", "a Buildkite token", s(lit("bkua_"), run(hex, 40, 40))),
		r("circleci-token", "a CircleCI token", s(lit("CCIPAT_"), run(under, 40, 80))),
	}
}
