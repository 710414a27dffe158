// The everyday programs that only read, with the options under which they stay so. A program that is not here asks. Options
// are listed where any option writes, runs something or changes the system; elsewhere all are fine.
// The environment is ours (guarded-environment.ts), so showing it shows no secret. Left out on purpose: yarn, pnpm, cargo, rustc, go, ack and
// anything else that a file of the workspace can make run something, curl, npm view and whatever else uses the network.
import { bare, type Check, first, only, paths, terms, texts } from './check.ts';
import { findCheck } from './find.ts';
import { gitCheck } from './git.ts';
import { fdCheck, grepCheck, ripgrepCheck } from './search.ts';
import { cdCheck, printfCheck, readCheck, setCheck, testCheck } from './shell.ts';
import { awkCheck, jqCheck, sedCheck } from './text-programs.ts';

/** Wrappers that add nothing of their own to what they start; what they start is judged by itself. */
export const TRANSPARENT: ReadonlySet<string> = new Set(
  'env timeout nice ionice time stdbuf command builtin exec xargs bash'.split(' '),
);

/** Only with one of these as the whole of its words. `python -v` and `node version` would run what they read. */
function exactly(...lines: string[]): Check {
  return (words) =>
    lines.includes(words.map((word) => (word.kind === 'static' ? word.text : '\n')).join(' '))
      ? undefined
      : 'is not known to only read';
}

const npm: Check = (words, judge) => {
  const [verb, ...rest] = words;
  if (verb?.kind !== 'static' || !/^(?:ls|list|ll|la)$/.test(verb.text))
    return exactly('root', 'prefix', 'run', '--version', '-v')(words, judge);
  const long = ['--all', '--depth', '--json', '--long', '--parseable', '--prod', '--omit', '--global', '--link'];
  return only({ flags: 'gal', long, operands: 'texts' })(rest, judge);
};

const pip: Check = (words, judge) => {
  const [verb, ...rest] = words;
  if (verb?.kind !== 'static' || !/^(?:list|show|freeze)$/.test(verb.text))
    return exactly('--version', '-V')(words, judge);
  return only({ flags: 'lf', long: ['--local', '--user', '--format', '--files'], operands: 'texts' })(rest, judge);
};

/** BSD options have no dash, and among them `e` shows the environment of every process; so does -E elsewhere. */
const ps: Check = (words) => {
  const texts = words.map((word) => (word.kind === 'static' ? word.text : '\n'));
  const odd = texts.find(
    (text, index) =>
      !/^(?:-\w*[oOpuUgGtCqs]|--format|--sort|--pid|--ppid|--user)$/.test(texts[index - 1] ?? '') &&
      !/^-[A-DF-Za-z]+$|^--[a-z-]+(?:=[\w,%+-]+)?$|^[a-df-z\d,]+$/.test(text),
  );
  return odd === undefined ? undefined : 'can show the environment of processes';
};

const sleep: Check = (words) =>
  words.length === 1 && words[0]?.kind === 'static' && /^(?:[0-5]?\d|60)(?:\.\d+)?s?$/.test(words[0].text)
    ? undefined
    : 'sleeps longer than a minute';

const date: Check = (words, judge) => {
  const operand = words.find(
    (word, index) => !/^[-+]/.test(word.text) && !/^(?:-d|--date)$/.test(words[index - 1]?.text ?? ''),
  );
  if (operand) return 'can set the clock';
  const long = ['--date', '--utc', '--universal', '--iso-8601', '--rfc-3339', '--rfc-email'];
  return only({ flags: 'uR', values: 'dI', long, operands: 'texts' })(words, judge);
};

const tar: Check = (words, judge) => {
  const [mode, ...rest] = words;
  if (mode?.kind !== 'static' || !/^-?(?:t[vzjJ]*f?|[vzjJ]*tv?f|--list)$/.test(mode.text))
    return 'is only known to be harmless when it lists';
  if (rest.some((word) => word.text.includes(':'))) return 'can reach another machine';
  return only({ flags: 'tvzjJ', long: ['--verbose'], operands: 'paths' })(rest, judge);
};

const unzip: Check = ([mode, ...rest], judge) =>
  mode?.kind === 'static' && /^-(?:l|lv|v|Z1?)$/.test(mode.text)
    ? (first(rest, (word) => (word.text.startsWith('-') ? 'is only known to be harmless when it lists' : undefined)) ??
      paths(rest, judge))
    : 'is only known to be harmless when it lists';

const xxd = only({ flags: 'abeEiupd', values: 'cglso', operands: 'paths', atMost: 1 });

const sort = only({
  flags: 'bcCdfghiMmnrRsuVz',
  values: 'ktS',
  long: '--reverse --numeric-sort --human-numeric-sort --version-sort --general-numeric-sort --month-sort --unique --key --field-separator --ignore-case --ignore-leading-blanks --dictionary-order --stable --zero-terminated --check'.split(
    ' ',
  ),
  operands: 'paths',
});

const tree = only({
  flags: 'adfiCFnqNQprstuUvghDAJS',
  values: 'LPI',
  long: '--noreport --dirsfirst --filesfirst --gitignore --prune --du --si --matchdirs --ignore-case'.split(' '),
  operands: 'paths',
});

/** A name that begins with a dash could become -C, which writes: not where the workspace cannot be written. */
const file: Check = (words, judge) => {
  const rest = judge.isContained
    ? words.filter((word) => word.kind !== 'glob' || judge.path(word) !== undefined)
    : words;
  const long = ['--brief', '--mime', '--mime-type', '--mime-encoding', '--dereference'];
  return only({ flags: 'biLkpr0', long, operands: 'paths' })(rest, judge);
};

/** Without a terminal it only prints; what it starts is named in the environment, which is ours, or in options left out here. */
const less: Check = (words, judge) => {
  const rest = words.filter((word) => !(word.kind === 'static' && /^\+(?:\d+|G)$/.test(word.text)));
  if (rest.some((word) => !/^[\w./-]/.test(word.text))) return 'is given a command of its own';
  const long = ['--LINE-NUMBERS', '--RAW-CONTROL-CHARS', '--chop-long-lines', '--quit-if-one-screen', '--no-init'];
  return only({ flags: 'NRSFXnimMeEqgGIrsw', long, operands: 'paths' })(rest, judge);
};

/** Pages by name: a path would be formatted as one. */
const man: Check = (words) =>
  words.length > 0 && words.every((word) => word.kind === 'static' && /^[\w][\w.+:-]*$/.test(word.text))
    ? undefined
    : 'is only known to be harmless with the names of pages';

const bat: Check = (words, judge) =>
  words[0]?.text === 'cache'
    ? 'changes its cache'
    : only({
        flags: 'npAu',
        values: 'rlHm',
        long: '--style --plain --number --line-range --language --color --decorations --theme --wrap --tabs --paging'.split(
          ' ',
        ),
        operands: 'paths',
      })(words, judge);

/** Names whose values are not secret. */
const printenv: Check = (words) =>
  words.length > 0 &&
  words.every(
    (word) =>
      word.kind === 'static' &&
      /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TZ|TERM|PWD|PAGER|EDITOR|CI|TMPDIR|COLUMNS|NO_COLOR)$/.test(
        word.text,
      ),
  )
    ? undefined
    : 'can show secrets of the environment';

const tee: Check = (words) =>
  words.every((word) => word.kind === 'static' && /^(?:-a|\/dev\/(?:null|stderr|stdout))$/.test(word.text))
    ? undefined
    : 'writes files';

const listsArchive: Check = ([mode, ...files], judge) =>
  mode?.kind === 'static' && /^-(?:l|lv|vl|tv?)$|^--(?:list|test)$/.test(mode.text)
    ? first(files, (word) =>
        word.text.startsWith('-') ? 'is only known to be harmless when it lists' : judge.path(word),
      )
    : 'is only known to be harmless when it lists';

const ip: Check = (words) =>
  words.every((word) => word.kind === 'static') &&
  /^(?:-[46cbrsd]+ |-br(?:ief)? |-j(?:son)? )*(?:a|addr|address|l|link|r|route|n|neigh)(?: (?:show|list|ls))?(?: dev \w+)?$/.test(
    words.map(({ text }) => text).join(' '),
  )
    ? undefined
    : 'can change the network';

const top: Check = (words, judge) =>
  words.some((word) => word.kind === 'static' && /^-[a-zA-Z]*b/.test(word.text))
    ? only({ flags: 'bcHiS1', values: 'ndpuUow', operands: 'none' })(words, judge)
    : 'waits for keys';

const each = (names: string, check: Check): [string, Check][] => names.split(' ').map((name) => [name, check]);

export const READ_ONLY: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...each('ls dir vdir cat head tail wc nl tac rev fold expand unexpand fmt od hexdump strings', paths),
  ...each('md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum', paths),
  ...each(
    'cmp comm join diff stat readlink realpath du df column zcat zgrep zegrep base64 base32 tsort factor lsof exa eza',
    paths,
  ),
  ...each('less', less),
  ...each('more', only({ flags: 'dflcpsu0123456789', operands: 'paths' })),
  ...each('bat batcat', bat),
  ...each('gzip xz bzip2 zstd', listsArchive),
  ['printenv', printenv],
  ...each('pgrep pidof vmstat tty', texts),
  ...each(
    'echo true false : pwd whoami id uname arch nproc uptime free groups logname who seq basename dirname expr',
    texts,
  ),
  ...each('which whereis type tr lscpu lsblk cal getconf locale help exit break continue', texts),
  ...each('grep egrep fgrep', grepCheck),
  ...each('node nodejs perl php', exactly('--version', '-v')),
  ...each('python python3', exactly('--version', '-V')),
  ...each('ruby gcc g++ clang make cmake docker tsc perl curl wget jq rg fd tar ssh-keygen', exactly('--version')),
  ['openssl', exactly('version', 'version -a')],
  ['man', man],
  ['tee', tee],
  ['ip', ip],
  ['top', top],
  ['ss', only({ flags: 'ltunaepmso46Hxw', operands: 'none' })],
  ['netstat', only({ flags: 'ltunaepsrio46W', operands: 'none' })],
  ['shuf', only({ flags: 'ezr', values: 'ni', operands: 'paths' })],
  [
    'ag',
    only({
      flags: 'ilLcwvsSQauno0',
      values: 'ABCGmt',
      long: ['--ts', '--js', '--python', '--nocolor', '--hidden', '--count', '--files-with-matches'],
      operands: 'paths',
    }),
  ],
  ['tokei', only({ flags: 'fh', values: 'tes', operands: 'paths' })],
  ...each('java javac', exactly('--version', '-version')),
  ...each('pip pip3', pip),
  ...each('test [', testCheck),
  ...each('fd fdfind', fdCheck),
  ...each('awk gawk mawk nawk', awkCheck),
  [
    'cut',
    only({
      flags: 'nsz',
      values: 'bcdf',
      long: [
        '--delimiter',
        '--fields',
        '--complement',
        '--only-delimited',
        '--output-delimiter',
        '--characters',
        '--bytes',
      ],
      operands: 'paths',
    }),
  ],
  ['paste', only({ flags: 'sz', values: 'd', long: ['--delimiters', '--serial'], operands: 'paths' })],
  ['rg', ripgrepCheck],
  ['find', findCheck],
  ['git', gitCheck],
  ['sed', sedCheck],
  ['jq', jqCheck],
  ['printf', printfCheck],
  ['read', readCheck],
  ['cd', cdCheck],
  ['set', setCheck],
  ['[[', terms],
  ['((', terms],
  ['case', terms],
  ['redirect', bare],
  ['wait', bare],
  ['npm', npm],
  ['ps', ps],
  ['date', date],
  ['sleep', sleep],
  ['sort', sort],
  [
    'uniq',
    only({
      flags: 'cdDuiz',
      values: 'fsw',
      long: ['--count', '--repeated', '--unique', '--ignore-case'],
      operands: 'paths',
      atMost: 1,
    }),
  ],
  ['tree', tree],
  ['xxd', xxd],
  ['tar', tar],
  ['unzip', unzip],
  ['file', file],
  ['hostname', only({ flags: 'sfdiIA', long: ['--fqdn', '--short', '--ip-address'], operands: 'none' })],
  ['command', onlyLooksUp()],
]);

/** `command -v name` starts nothing. */
function onlyLooksUp(): Check {
  return (words, judge) =>
    words[0]?.kind === 'static' && /^-[vV]$/.test(words[0].text) ? texts(words, judge) : 'starts a program';
}
