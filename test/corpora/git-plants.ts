// Ways to leave something in a workspace that git runs later: shell scripts, each with what the person had there before. They
// are real: planted without our tools, git touches $CANARY at each of them (test/e2e/git-plants.test.ts).

export interface GitPlant {
  name: string;
  /** What the person had, made outside the sandbox. */
  person?: string;
  /** One command each. */
  commands: readonly string[];
}

/** Functions that the scripts use. `program` is what git runs. */
export const PLANT_FUNCTIONS = `
program() { printf 'touch %s; :' "$CANARY"; }
settings() { printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n'; }
evil() { printf '[core]\\n\\tfsmonitor = "%s"\\n' "$(program)"; }
layout() { mkdir -p "$1/objects/info" "$1/refs/heads"; echo 'ref: refs/heads/main' > "$1/HEAD"; }
bare() { layout "$1"; { settings; printf '\\tworktree = .\\n'; evil; } > "$1/config"; }
nested() { layout "$1/.git"; settings > "$1/.git/config"; echo one > "$1/a.txt"; }
hook() { mkdir -p "$1"; printf '#!/bin/sh\\n%s\\n' "$(program)" > "$1/post-index-change"; chmod +x "$1/post-index-change"; }
as() { git -c user.name=a -c user.email=a@example.com "$@"; }
real() { git init -q "$1"; echo one > "$1/a.txt"; as -C "$1" add a.txt; as -C "$1" commit -qm one; }
script() { mkdir -p "$(dirname "$1")"; printf '#!/bin/sh\\n%s\\n' "$2" > "$1"; chmod +x "$1"; }
driver() { echo '*.txt $1' > "$2/.gitattributes"; }
`;

const REAL_ROOT = 'real .';
const REAL_NESTED = 'real sub';
const SUBMODULE = `real .; real ../sub-source; as -c protocol.file.allow=always submodule -q add "$PWD/../sub-source" sub; as commit -qm sub`;

const FILTERED = `${REAL_ROOT}; script tools/clean.sh cat; echo '*.txt filter=x' > .gitattributes; git config filter.x.clean 'sh tools/clean.sh %f'; echo two > a.txt`;

export const GIT_PLANTS: readonly GitPlant[] = [
  { name: 'a bare layout in a directory', commands: ['bare x'] },
  { name: 'a bare layout in the root', commands: ['bare .'] },
  {
    name: 'a repository in what looks like a placeholder of a sandbox',
    commands: ['mkdir -p sub/.git/.lainclaw-1-2-lease-x', 'nested sub; evil >> sub/.git/config'],
  },
  { name: 'a bare layout deep in installed packages', commands: ['bare node_modules/a/b'] },
  { name: 'a bare layout in a cache', commands: ['bare .cache/x'] },
  { name: 'a bare layout whose HEAD is a link', commands: ['bare x; rm x/HEAD; ln -s refs/heads/main x/HEAD'] },
  {
    name: 'a bare layout whose HEAD is a commit',
    commands: ['bare x; echo 1111111111111111111111111111111111111111 > x/HEAD'],
  },
  {
    name: 'a bare layout with links for objects',
    commands: ['bare x; mkdir o; rm -r x/objects; ln -s ../o x/objects'],
  },
  {
    name: 'a commondir',
    commands: [
      'bare y; rm y/HEAD; mkdir x; echo "ref: refs/heads/main" > x/HEAD; echo ../y > x/commondir; mkdir sub; echo "gitdir: ../x" > sub/.git',
    ],
  },
  { name: 'a bare layout with old times', commands: ['bare x; find x -exec touch -d 2001-01-01 {} +'] },
  { name: 'a bare layout in a directory that cannot be written', commands: ['bare x; chmod 555 x'] },
  { name: 'a bare layout in a directory that cannot be listed', commands: ['bare x/y; chmod 111 x'] },
  { name: 'a bare layout under a name that is not text', commands: [`d=$(printf 'x\\377'); bare "$d"`] },
  { name: 'a bare layout under a name with a line break', commands: [`d=$(printf 'x\\ny'); bare "$d"`] },
  { name: 'a bare layout in two commands', commands: ['bare x; rm x/HEAD', 'echo "ref: refs/heads/main" > x/HEAD'] },
  { name: 'a bare layout that is moved together', commands: ['bare x; mkdir y; mv x/HEAD y', 'mv y/HEAD x'] },
  { name: 'a nested repository', commands: ['nested sub; evil >> sub/.git/config'] },
  {
    name: 'a nested repository in two commands',
    commands: ['git init -q sub', 'git -C sub config core.fsmonitor "$(program)"'],
  },
  { name: 'a nested repository under a hidden name', commands: ['nested .a/.b; evil >> .a/.b/.git/config'] },
  {
    name: 'settings on the line of their section',
    commands: ['nested sub; printf \'[core] fsmonitor = "%s"\\n\' "$(program)" >> sub/.git/config'],
  },
  {
    name: 'settings after a comment that seems to continue',
    commands: [`nested sub; printf '[core]\\n# x \\\\\\nfsmonitor = "%s"\\n' "$(program)" >> sub/.git/config`],
  },
  {
    name: 'settings with a mark of byte order',
    commands: [`nested sub; { printf '\\357\\273\\277'; settings; evil; } > sub/.git/config`],
  },
  { name: 'settings with Windows line ends', commands: [`nested sub; evil | sed 's/$/\\r/' >> sub/.git/config`] },
  {
    name: 'settings in capitals',
    commands: [`nested sub; printf '[CORE]\\nFSMonitor = "%s"\\n' "$(program)" >> sub/.git/config`],
  },
  { name: 'an include', commands: ['nested sub; evil > inc; git config -f sub/.git/config include.path ../../inc'] },
  {
    name: 'a conditional include',
    commands: ['nested sub; evil > inc; git config -f sub/.git/config "includeIf.gitdir:**.path" ../../inc'],
  },
  {
    name: 'settings of a worktree',
    commands: [
      'nested sub; git config -f sub/.git/config extensions.worktreeConfig true; evil > sub/.git/config.worktree',
    ],
  },
  {
    name: 'a link for the settings',
    commands: ['nested sub; { settings; evil; } > c; rm sub/.git/config; ln -s ../../c sub/.git/config'],
  },
  { name: 'a hard link for the settings', commands: ['nested sub; ln sub/.git/config notes', 'evil >> notes'] },
  { name: 'a hook', commands: [`${REAL_NESTED}; hook sub/.git/hooks; touch sub/a.txt`] },
  {
    name: 'a path of hooks',
    commands: [`${REAL_NESTED}; hook sub/h; git -C sub config core.hooksPath h; touch sub/a.txt`],
  },
  {
    name: 'a link for the hooks',
    commands: [`${REAL_NESTED}; hook h; rm -rf sub/.git/hooks; ln -s ../../h sub/.git/hooks; touch sub/a.txt`],
  },
  {
    name: 'a filter',
    commands: [
      `${REAL_NESTED}; echo '*.txt filter=x' > sub/.gitattributes; git -C sub config filter.x.clean "$(program)"; echo two > sub/a.txt`,
    ],
  },
  {
    name: 'a filter that stays',
    commands: [
      `${REAL_NESTED}; echo '*.txt filter=x' > sub/.gitattributes; git -C sub config filter.x.process "$(program)"; echo two > sub/a.txt`,
    ],
  },
  {
    name: 'an external diff',
    commands: [`${REAL_NESTED}; git -C sub config diff.external "$(program)"; echo two > sub/a.txt`],
  },
  {
    name: 'a diff driver',
    commands: [
      `${REAL_NESTED}; echo '*.txt diff=x' > sub/.gitattributes; git -C sub config diff.x.command "$(program)"; echo two > sub/a.txt`,
    ],
  },
  {
    name: 'a text converter',
    commands: [
      `${REAL_NESTED}; echo '*.txt diff=x' > sub/.gitattributes; git -C sub config diff.x.textconv "$(program)"; echo two > sub/a.txt`,
    ],
  },
  { name: 'a .git file', commands: ['bare store; mkdir sub; echo "gitdir: ../store" > sub/.git'] },
  {
    name: 'a .git file with an absolute path',
    commands: ['bare store; mkdir sub; echo "gitdir: $PWD/store" > sub/.git'],
  },
  { name: 'a link for .git', commands: ['bare store; mkdir sub; ln -s ../store sub/.git'] },
  {
    name: 'a .git file to what loses its HEAD',
    commands: [
      'layout y; settings > y/config; mkdir x; echo "ref: refs/heads/main" > x/HEAD; echo ../y > x/commondir; mkdir sub; echo "gitdir: ../x" > sub/.git',
      'rm y/HEAD; evil >> y/config',
    ],
  },
  {
    name: 'a nested repository that the index names',
    person: REAL_ROOT,
    commands: [`${REAL_NESTED}; as add sub 2>/dev/null; git -C sub config core.fsmonitor "$(program)"`],
  },
  { name: "a submodule's settings", person: SUBMODULE, commands: ['evil >> .git/modules/sub/config'] },
  { name: "a submodule's hook", person: SUBMODULE, commands: ['hook .git/modules/sub/hooks; touch sub/a.txt'] },
  { name: 'a moved HEAD', person: REAL_ROOT, commands: ['mv .git/HEAD .git/OLD; bare .'] },
  { name: 'moved objects', person: REAL_ROOT, commands: ['mv .git/objects .git/old; bare .'] },
  { name: 'moved references', person: REAL_ROOT, commands: ['mv .git/refs .git/old; bare .'] },
  {
    name: "a nested repository of the person's",
    person: REAL_NESTED,
    commands: ['git -C sub config core.fsmonitor "$(program)"'],
  },
  {
    name: "a hook in a nested repository of the person's",
    person: REAL_NESTED,
    commands: ['hook sub/.git/hooks; touch sub/a.txt'],
  },
  {
    name: "another repository in the place of the person's",
    person: REAL_NESTED,
    commands: ['cp -r sub/.git g; evil >> g/config; rm -rf sub/.git; mv g sub/.git'],
  },
  {
    name: "a bare repository of the person's",
    person: 'layout x; { settings; printf "\\tworktree = .\\n"; } > x/config',
    commands: ['evil >> x/config'],
  },
  {
    name: "a worktree's way to its repository",
    person: `${REAL_ROOT}; as worktree add -q w`,
    commands: ['bare e; rm e/HEAD; echo ../../../e > .git/worktrees/w/commondir'],
  },
  {
    name: "a hook where the person's settings look for hooks",
    person: `${REAL_ROOT}; mkdir .husky; git config core.hooksPath .husky`,
    commands: ['hook .husky; touch a.txt'],
  },
  {
    name: "a hook that the person's hook runs",
    person: `${REAL_ROOT}; mkdir -p .husky/_; git config core.hooksPath .husky/_; printf '#!/bin/sh\\n. .husky/post-index-change\\n' > .husky/_/post-index-change; chmod +x .husky/_/post-index-change; echo : > .husky/post-index-change`,
    commands: ['hook .husky; touch a.txt'],
  },
  {
    name: "a file that the person's settings include",
    person: `${REAL_ROOT}; git config include.path ../team.gitconfig; echo > team.gitconfig`,
    commands: ['evil > team.gitconfig'],
  },
  {
    name: "a missing file that a nested repository's settings include",
    person: `${REAL_NESTED}; git -C sub config include.path ../../team.gitconfig`,
    commands: ['evil > team.gitconfig'],
  },
  {
    name: "a filter program that the person's settings name",
    person: FILTERED,
    commands: ['{ program; echo; echo cat; } > tools/clean.sh'],
  },
  {
    name: "a missing program that the person's settings name",
    person: `${FILTERED}; rm -r tools`,
    commands: ['mkdir tools; { program; echo; echo cat; } > tools/clean.sh'],
  },
  {
    name: "a watching program that the person's settings name",
    person: `${REAL_ROOT}; script mon.sh 'echo'; git config core.fsmonitor ./mon.sh`,
    commands: ['{ echo "#!/bin/sh"; program; } > mon.sh'],
  },
  {
    name: "a text converter that the person's settings name",
    person: `${REAL_ROOT}; script tools/text.sh 'cat "$1"'; echo '*.txt diff=x' > .gitattributes; git config diff.x.textconv 'sh "./tools/text.sh"'; echo two > a.txt`,
    commands: ['program > tools/text.sh'],
  },
  {
    name: "a program of a submodule's settings",
    person: `${SUBMODULE}; mkdir sub/t; git -C sub config core.fsmonitor t/mon.sh; script sub/t/mon.sh echo`,
    commands: ['{ echo "#!/bin/sh"; program; } > sub/t/mon.sh'],
  },
  {
    name: "a link in the place of the person's directory of hooks",
    person: `${REAL_ROOT}; mkdir -p tools/hooks; git config core.hooksPath tools/hooks`,
    commands: ['hook evil; rm -r tools/hooks; ln -s ../evil tools/hooks; touch a.txt'],
  },
  {
    name: "a link on the way to the person's directory of hooks",
    person: `${REAL_ROOT}; mkdir -p tools/hooks; git config core.hooksPath tools/hooks`,
    commands: ['hook evil/hooks; rm -r tools; ln -s evil tools; touch a.txt'],
  },
  {
    name: "hooks behind a link of the person's",
    person: `${REAL_ROOT}; mkdir -p shared/hooks; ln -s shared tools; git config core.hooksPath tools/hooks`,
    commands: ['hook shared/hooks; touch a.txt'],
  },
  { name: 'a command that takes too long', commands: ['bare x; sleep 60'] },
];
