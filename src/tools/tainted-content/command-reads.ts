// What a command could show of the workspace's files, as far as its text tells. Programs that print files show what they are given, a
// recursive search all below it; git shows its history; whatever is not known to show only names could show anything.
import { baseName, type CommandReading, type SimpleCommand, type Word } from '../permissions/command.ts';
import { hasPlainScript } from './plain-scripts.ts';

export interface CommandReads {
  /** Files, directories and patterns, as written. */
  named: readonly { text: string; isPattern: boolean }[];
  /** Directories that are read with everything below them. */
  below: readonly string[];
  /** A program runs that could read any file. */
  anything: boolean;
  /** What git keeps is shown. */
  history: boolean;
  /** Searches leave out what ignore files name. */
  ignores: boolean;
}

/** Print what is in the files that they are given. */
const SHOWING =
  /^(?:cat|tac|nl|head|tail|less|more|bat|batcat|sed|g?awk|mawk|nawk|[efz]?grep|zcat|jq|yq|cut|sort|uniq|paste|column|fold|fmt|strings|xxd|hexdump|od|base64|diff|cmp|comm|join|tr|rev|expand|pr|cp|mv|ln|tee|dd|install)$/;
const SEARCHING = /^(?:rg|ag|ack)$/;
/** Show names, numbers or nothing of a file's content. */
const NAMES_ONLY =
  /^(?:ls|tree|find|fd|fdfind|locate|pwd|cd|pushd|popd|echo|printf|true|false|:|test|\[|\[\[|stat|du|df|wc|cksum|md5sum|sha1sum|sha256sum|which|whereis|type|command|date|cal|whoami|id|groups|uname|hostname|nproc|free|uptime|env|printenv|basename|dirname|realpath|readlink|mkdir|rmdir|rm|touch|chmod|chown|sleep|kill|export|set|unset|shift|read|exit|wait|jobs|umask|ulimit|local|declare|return|seq|yes|for|file|xargs|timeout|nohup|nice|time|ps|pgrep|top|tput|clear)$/;
const GIT_NAMES_ONLY =
  /^(?:status|branch|add|commit|checkout|switch|restore|rev-parse|rev-list|remote|config|init|tag|push|fetch|pull|clone|merge|rebase|reset|rm|mv|clean|ls-files|ls-tree|ls-remote|describe|symbolic-ref|merge-base|for-each-ref|count-objects|gc|fsck|worktree|submodule|version|help|--version)$/;
/** By which git shows messages, changes or a file where it shows names otherwise; long options may be shortened. */
const GIT_SHOWS: readonly (readonly [verb: RegExp, option: RegExp])[] = [
  [/^(?:add|commit|status|checkout|restore|reset)$/, /^-[a-zA-Z]*[vp]|^--(?:v|p)/],
  [/^(?:branch|tag|for-each-ref|rev-list|ls-tree)$/, /^-[a-zA-Z]*[vn]|^--(?:v|fo|pr|on|he)/],
  [/^config$/, /^-f|^--(?:fi|bl)/],
  [/^submodule$/, /^summary$/],
];
/** Options by which programs that show names show what is in a file; long options may be shortened. */
const SHOWS_CONTENT: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^date$/, /^-[a-zA-Z]*f|^--f/],
  [/^(?:wc|du)$/, /^--f/],
  [/sum$/, /^-[a-zA-Z]*c|^--c/],
  [/^file$/, /^-[a-zA-Z]*[fm]|^--[fm]/],
  [/^tree$/, /^--from/],
  [/^xargs$/, /^-[a-zA-Z0-9]*a|^--a/],
  [/^find$/, /^-files0-from/],
];
/** What is read is named by data, or lies elsewhere than where the command is. */
const NAMED_BY_DATA = /^--files0|^-files0-from/;
const ELSEWHERE: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^env$/, /^-[a-zA-Z0-9]*C|^--c/],
  [/^find$/, /^-(?:exec|ok)dir$/],
];
/** Give files other names, which another part of the command can read. */
const RENAMING = /^(?:ln|mv|cp|install)$/;
const MOST_MOVES = 16;
/** Names what is not shown. */
const LEAVES_OUT = /^--(?:exclude|include|ignore)/;
const IGNORED_TOO = /^(?:-[a-zA-Z]*u|--no-ignore.*|--unrestricted|--hidden-ignored|-a)$/;

/** Put files into the workspace that somebody packed. */
const UNPACKING = /^(?:unzip|bsdtar|7z[ar]?|unrar|unar|gunzip|bunzip2|unxz|unzstd|cpio|unsquashfs)$/;

/** The programs of a command that unpack, by name. */
export function unpackersIn({ commands }: CommandReading): string[] {
  return commands.flatMap(({ program = '', words }) => {
    const name = baseName(program);
    const unpacksTar = /^g?tar$/.test(name) && words.slice(1).some(({ text }, index) => isExtracting(text, index));
    return unpacksTar || UNPACKING.test(name) ? [name] : [];
  });
}

/** The first word of tar may be letters without a dash. */
function isExtracting(text: string, index: number): boolean {
  return /^--(?:extract|get)$|^-[a-zA-Z]*x/.test(text) || (index === 0 && /^[a-zA-Z]*x[a-zA-Z]*$/.test(text));
}

export const READS_ANYTHING: CommandReads = {
  named: [],
  below: [],
  anything: true,
  history: true,
  ignores: false,
};

export function readsOf(reading: CommandReading): CommandReads {
  if (!reading.parsed || reading.unseen.length > 0 || reading.redefines.length > 0) return READS_ANYTHING;
  const all = reading.commands.map(readsOfOne);
  const shows = all.filter(({ named = [], below = [] }) => named.length + below.length > 0).length;
  if (shows > 0 && isLost(reading.commands)) return READS_ANYTHING;
  if (shows > 1 && reading.commands.some(({ program = '' }) => RENAMING.test(baseName(program)))) return READS_ANYTHING;
  return {
    named: all.flatMap(({ named = [] }) => named),
    below: all.flatMap(({ below = [] }) => below),
    anything: all.some(({ anything }) => anything),
    history: all.some(({ history }) => history),
    ignores: all.every(({ below = [], ignores }) => below.length === 0 || ignores),
  };
}

/** A part of the command is in a directory that its text does not tell. */
function isLost(commands: readonly SimpleCommand[]): boolean {
  const moves = commands.filter(({ program }) => /^(?:cd|pushd)$/.test(program ?? ''));
  return moves.length > MOST_MOVES || moves.some(({ words }) => words.slice(1).some(({ kind }) => kind !== 'static'));
}

function readsOfOne(command: SimpleCommand): Partial<CommandReads> {
  const { program, words, redirections, starts } = command;
  const input = redirections.flatMap((each) => (each.access === 'read' ? [asNamed(each.target)] : []));
  if (words.length === 0) return { named: input };
  if (program === undefined) return { anything: true };
  const name = baseName(program);
  const options = words.slice(1).map(({ text }) => text);
  const has = (list: readonly (readonly [RegExp, RegExp])[]): boolean =>
    list.some(([programs, option]) => programs.test(name) && options.some((text) => option.test(text)));
  if (has(ELSEWHERE) || options.some((text) => NAMED_BY_DATA.test(text))) return { anything: true };
  if (has(SHOWS_CONTENT)) return { named: [...input, ...words.slice(1).flatMap(partsOf)] };
  if (name === 'git') return { named: input, ...readsOfGit(words) };
  if (SHOWING.test(name) || SEARCHING.test(name)) return withInput(readsOfShowing(name, words.slice(1)), input);
  if (NAMES_ONLY.test(name) || starts === 'others') return { named: input };
  return { anything: true };
}

function withInput(
  reads: Partial<CommandReads>,
  input: NonNullable<CommandReads['named'][number]>[],
): Partial<CommandReads> {
  return { ...reads, named: [...(reads.named ?? []), ...input] };
}

function readsOfGit(words: readonly Word[]): Partial<CommandReads> {
  const verb = words.slice(1).find(({ text }, index, rest) => {
    const before = rest[index - 1]?.text ?? '';
    return !text.startsWith('-') && !/^-[cC]$|^--(?:git-dir|work-tree)$/.test(before);
  });
  const shows = GIT_SHOWS.some(
    ([name, option]) => name.test(verb?.text ?? '') && words.some(({ text }) => option.test(text)),
  );
  if (verb && GIT_NAMES_ONLY.test(verb.text) && !shows) return {};
  return { history: true };
}

function readsOfShowing(name: string, words: readonly Word[]): Partial<CommandReads> {
  const texts = words.map(({ text }) => text);
  if (!hasPlainScript(name, texts)) return { anything: true };
  const flags = words.filter(({ text }) => text.startsWith('-')).map(({ text }) => text);
  const operands = words.filter(({ text }) => !text.startsWith('-'));
  const searches = SEARCHING.test(name);
  const recursive =
    searches || (/grep$|^diff$/.test(name) && flags.some((flag) => /^-[a-zA-Z]*[rRd]|^--(?:deref|rec|dir)/.test(flag)));
  // Names that are known only when it runs can be those of any file.
  const unknown = operands.some((word) => word.kind === 'dynamic' || /^~[^/]/.test(word.text));
  const named = operands.flatMap((word): Word[] => (word.kind === 'one-of' ? [...word.options] : [word])).map(asNamed);
  // Of a search the first word is what it looks for.
  const places = named.slice(flags.some((flag) => /^-e|^--(?:regexp|file)/.test(flag)) ? 0 : 1).map(({ text }) => text);
  return {
    named: [...named, ...words.flatMap(partsOf)],
    below: [...(recursive ? (places.length > 0 ? places : ['.']) : []), ...(unknown ? ['.'] : [])],
    ignores: searches && !flags.some((flag) => IGNORED_TOO.test(flag)) && !unknown,
  };
}

/** What an option or an assignment names: `--from-file=x`, `-fx`, `if=x`, `@x`. */
function partsOf(word: Word): { text: string; isPattern: boolean }[] {
  const { text } = word;
  if (LEAVES_OUT.test(text)) return [];
  const parts = [
    text,
    /=([\s\S]+)$/.exec(text)?.[1],
    /^-[a-zA-Z]([\s\S]+)$/.exec(text)?.[1],
    /^@(.+)$/.exec(text)?.[1],
  ];
  return parts.flatMap((part) => (part === undefined ? [] : [{ text: part, isPattern: word.kind !== 'static' }]));
}

function asNamed({ kind, text }: Word): { text: string; isPattern: boolean } {
  return { text, isPattern: kind !== 'static' };
}
