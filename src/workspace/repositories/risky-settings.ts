// Which settings of a git configuration could make git run a program, read another configuration or use other hooks. A list of
// what is harmless decides, because git has new settings in every version: `git init`, `clone`, `branch` and `remote` write
// nothing else. What this reader does not understand counts as risky.

/** `section.key`, or `section.*.key` where the section has a name. */
const HARMLESS: ReadonlySet<string> = new Set(
  [
    'core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode',
    'core.symlinks core.autocrlf core.eol core.safecrlf core.quotepath core.sparsecheckout core.sparsecheckoutcone core.abbrev',
    'core.compression core.hidedotfiles core.worktree core.longpaths core.protecthfs core.protectntfs core.untrackedcache',
    'extensions.objectformat extensions.refstorage extensions.partialclone extensions.worktreeconfig extensions.relativeworktrees',
    'remote.*.url remote.*.pushurl remote.*.fetch remote.*.push remote.*.mirror remote.*.tagopt remote.*.prune remote.*.promisor',
    'remote.*.partialclonefilter remote.*.gh-resolved branch.*.remote branch.*.merge branch.*.rebase branch.*.pushremote',
    'branch.*.description branch.*.vscode-merge-base branch.autosetuprebase branch.autosetupmerge submodule.*.url submodule.*.active submodule.*.branch',
    'submodule.*.ignore submodule.active submodule.recurse user.name user.email init.defaultbranch pull.rebase pull.ff',
    'push.default push.autosetupremote fetch.prune fetch.writecommitgraph merge.conflictstyle merge.ff commit.gpgsign tag.gpgsign',
    'diff.renames diff.algorithm status.showuntrackedfiles log.date gc.auto index.version index.threads',
    'lfs.repositoryformatversion lfs.*.access lfs.*.locksverify',
  ].flatMap((line) => line.split(' ')),
);

/** A setting as `name=value`, or why the text could not be read. Empty when git runs nothing because of it. */
export function riskySettings(text: string): string[] {
  // Git joins such lines except in comments, and writes none itself.
  if (/\\\r?$/m.test(text)) return ['a continued line'];
  if (/[^\P{Cc}\t\n\r]|\r(?!\n)/u.test(text)) return ['a control character'];
  const risky: string[] = [];
  let section: Section | undefined;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const header = HEADER.exec(line);
    if (header) section = sectionOf(header[1] ?? '', header[2]);
    const rest = (header ? header[3] : line) ?? '';
    if (/^\s*(?:[#;]|$)/.test(rest)) continue;
    const setting = SETTING.exec(rest);
    if (!setting || !section) return [...risky, `a line that cannot be read: ${rest.trim().slice(0, 100)}`];
    const [, key = '', value = ''] = setting;
    if (!isHarmless(section, key.toLowerCase(), value))
      risky.push(`${section.name}.${key.toLowerCase()}=${value.trim()}`);
  }
  return risky;
}

const HEADER = /^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/;
const SETTING = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=(.*))?$/;

interface Section {
  /** As a person writes it. */
  name: string;
  /** As in the list above. */
  kind: string;
}

function sectionOf(first: string, quoted: string | undefined): Section {
  const [family = '', ...rest] = first.toLowerCase().split('.');
  const part = [...rest, ...(quoted === undefined ? [] : [quoted])].join('.');
  return part === '' ? { name: family, kind: family } : { name: `${family}.${part}`, kind: `${family}.*` };
}

function isHarmless({ kind }: Section, key: string, value: string): boolean {
  if (!HARMLESS.has(`${kind}.${key}`)) return false;
  // `ext::command` is an address whose transport is a program; a value with a dash could become an option of one.
  return !/url$/.test(key) || !/::|\\|^[\s"]*-/.test(value);
}
