package existence

import "strings"

// wordSet is a list of lower-case words, each between blanks.
type wordSet string

func (s wordSet) has(w string) bool {
	return !strings.Contains(w, " ") && strings.Contains(string(s), " "+strings.TrimSuffix(w, "s")+" ") ||
		strings.Contains(string(s), " "+w+" ")
}

// Words that say what a name is, in the languages that memory is mostly written in.
const (
	repositoryWords wordSet = " repo repository clone checkout repositorio repositório dépôt репозиторий 仓库 リポジトリ "
	branchWords     wordSet = " branch zweig rama ramo branche ветка ветке 分支 ブランチ "
	packageWords    wordSet = " package apt dpkg deb paket paquete pacote paquet пакет 软件包 包 パッケージ "
	programWords    wordSet = " command cli binary program befehl programm comando programa commande programme команда программа 命令 程序 コマンド " +
		"プログラム "
	debianWords wordSet = " apt apt-get dpkg deb debian ubuntu " // other lists of packages are not read
)

// excuses are words of lines that speak of what was, will be, may be or is elsewhere. They claim nothing about this machine now.
const excuses wordSet = " removed deleted gone dropped retired former formerly previously old was were used moved renamed replaced " +
	"deprecated archived obsolete disabled uninstalled migrated lost missing broken stopped no not never without don't doesn't isn't " +
	"will would should could if when planned plan todo later next create creates example e.g eg like such template placeholder " +
	"remote server vps host ssh scp container docker pod inside laptop phone mac raspberry " +
	"entfernt gelöscht früher ehemals alt war wurde umbenannt verschoben ersetzt kein keine nicht nie wird soll sollte " +
	"falls wenn geplant beispiel " +
	"eliminado borrado antes antiguo era fue movido sin no nunca será debería si cuando ejemplo " +
	"removido apagado antigo foi era sem não nunca será deveria se quando exemplo " +
	"supprimé ancien était déplacé sans pas jamais sera devrait exemple " +
	"удалён удален удалено раньше был была было перенесён не нет никогда будет если пример "

// excuseMarks are such words of scripts without blanks, and signs.
const excuseMarks = "~~ [ ] ⬜ ❌ 删除 已删 移除 以前 曾 旧 不再 不存在 没有 计划 将 如果 例如 示例 远程 服务器 容器 " +
	"削除 廃止 以前 旧 ない 予定 例えば リモート サーバ コンテナ"

// excused reports a line that claims nothing about this machine as it is.
func excused(line string, words []word) bool {
	if strings.Contains(line, "[ ]") {
		return true
	}
	for mark := range strings.FieldsSeq(excuseMarks) {
		if len(mark) > 1 && strings.Contains(line, mark) {
			return true
		}
	}
	for _, w := range words {
		if !w.code && (excuses.has(w.lower) || strings.Contains(w.text, "@") && !strings.HasPrefix(w.text, "@")) {
			return true
		}
	}
	return false
}
