// git: subcommands and options that only read. The repository's own configuration can name programs (fsmonitor, filters,
// external diffs): in the workspace's root that is the user's own, in any other directory it may be anybody's, so git asks
// there. guarded-environment.ts switches off what can be switched off.
import type { Word } from '../command.ts';
import { type Check, first, type Judge, splitOptions } from './check.ts';

const long = (names: string): string[] => names.split(' ').map((name) => `--${name}`);

const LOG = {
  flags: '0123456789pscivEFPgmrtwbzuRqa',
  values: 'nUSGLMCBl',
  long: long(
    'oneline graph decorate no-decorate decorate-refs all stat shortstat numstat name-only name-status patch no-patch raw summary ' +
      'compact-summary dirstat pretty format abbrev abbrev-commit no-abbrev-commit full-index date relative-date author committer ' +
      'grep invert-grep all-match since until after before max-count skip follow reverse merges no-merges first-parent branches ' +
      'tags remotes topo-order date-order author-date-order color no-color cached staged merge-base word-diff color-words ' +
      'ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines unified diff-filter find-renames find-copies ' +
      'no-renames minimal patience histogram exit-code quiet check binary text left-right left-only right-only cherry-pick ' +
      'cherry-mark boundary ancestry-path no-walk simplify-by-decoration source notes no-notes relative no-relative no-ext-diff ' +
      'no-textconv regexp-ignore-case extended-regexp fixed-strings perl-regexp pickaxe-regex pickaxe-all no-prefix ' +
      'function-context full-history simplify-merges dense sparse color-moved ignore-cr-at-eol submodule ignore-submodules stat-width walk-reflogs numbered email count parents children cc not',
  ),
};

const STATUS = {
  flags: 'sbvz',
  values: 'u',
  long: long(
    'short branch porcelain long verbose ignored untracked-files ahead-behind no-ahead-behind show-stash column renames no-renames ignore-submodules',
  ),
};

const LIST_FILES = {
  flags: 'cmodsuikztv',
  values: 'x',
  long: long(
    'cached modified others deleted stage unmerged ignored killed exclude-standard full-name error-unmatch directory deduplicate eol exclude abbrev',
  ),
};

const BRANCH = {
  flags: 'arv',
  long: long(
    'all remotes verbose list show-current contains no-contains merged no-merged points-at sort format color no-color column abbrev',
  ),
};
const TAG = {
  flags: 'l0123456789',
  values: 'n',
  long: long('list contains no-contains merged no-merged points-at sort format color column'),
};
const REFERENCES = {
  flags: 'sqd',
  long: long('format sort count points-at merged no-merged contains heads tags head hash abbrev verify quiet'),
};
const TREE = { flags: 'rdtlz', long: long('name-only name-status full-tree full-name long abbrev') };
const DESCRIBE = {
  long: long('tags always dirty abbrev long match exclude contains exact-match all first-parent candidates'),
};
const BLAME = {
  flags: 'wlsepft',
  values: 'LMC',
  long: long('porcelain line-porcelain date show-email show-name show-number abbrev root'),
};
const GREP = {
  flags: 'nilLcwEFPvhHpWq',
  values: 'eABCm',
  long: long(
    'cached untracked name-only count heading break and or not all-match max-depth column line-number ignore-case word-regexp files-with-matches extended-regexp fixed-strings perl-regexp show-function function-context color recurse-submodules',
  ),
};

type Sub = (words: readonly Word[], judge: Judge) => string | undefined;

const with_ =
  (options: Parameters<typeof splitOptions>[1]): Sub =>
  (words, judge) =>
    splitOptions(words, options).objection ?? first(words, (word) => judge.text(word) ?? operand(word, judge));

/** Options of a listing; an operand makes something unless one of `unless` is given. */
const listing =
  (options: Parameters<typeof splitOptions>[1], unless: RegExp): Sub =>
  (words, judge) =>
    words.some((word) => unless.test(word.text)) || splitOptions(words, options).operands.length === 0
      ? with_(options)(words, judge)
      : 'could make something new';

/** Only these words, in full. */
const exactly =
  (...lines: string[]): Sub =>
  (words) =>
    lines.includes(words.map((word) => (word.kind === 'static' ? word.text : '\n')).join(' '))
      ? undefined
      : 'is not known to only read';

const SUBCOMMANDS: ReadonlyMap<string, Sub> = new Map<string, Sub>([
  ['status', with_(STATUS)],
  ...[
    'log',
    'show',
    'diff',
    'shortlog',
    'whatchanged',
    'rev-list',
    'diff-tree',
    'diff-index',
    'diff-files',
    'range-diff',
    'cherry',
  ].map((name): [string, Sub] => [name, with_(name === 'shortlog' ? { ...LOG, flags: `${LOG.flags}ne` } : LOG)]),
  ['branch', listing(BRANCH, /^--(?:list|contains|no-contains|merged|no-merged|points-at)(?:=|$)/)],
  ['tag', listing(TAG, /^(?:-l|--list|--contains|--merged|--points-at)(?:=|$)/)],
  ['ls-files', with_(LIST_FILES)],
  ['ls-tree', with_(TREE)],
  ['blame', with_(BLAME)],
  ['grep', grep],
  ['describe', with_(DESCRIBE)],
  ['for-each-ref', with_(REFERENCES)],
  ['show-ref', with_(REFERENCES)],
  ['rev-parse', (words, judge) => first(words, (word) => judge.text(word) ?? operand(word, judge))],
  ['merge-base', with_({ flags: 'a', long: long('all octopus is-ancestor independent fork-point') })],
  ['name-rev', with_({ long: long('name-only tags refs always') })],
  ['cat-file', with_({ flags: 'ptse' })],
  ['check-ignore', with_({ flags: 'vnqz', long: long('verbose non-matching quiet') })],
  ['count-objects', with_({ flags: 'vH' })],
  [
    'remote',
    (words, judge) =>
      words[0]?.text === 'get-url'
        ? with_({ long: long('all push') })(words, judge)
        : exactly('', '-v', '--verbose')(words, judge),
  ],
  [
    'stash',
    (words, judge) =>
      /^(?:list|show)$/.test(words[0]?.text ?? '') ? with_(LOG)(words.slice(1), judge) : 'changes the stash',
  ],
  [
    'reflog',
    (words, judge) =>
      /^(?:expire|delete|drop|write)$/.test(words[0]?.text ?? '') ? 'changes the reflog' : with_(LOG)(words, judge),
  ],
  [
    'symbolic-ref',
    (words, judge) =>
      splitOptions(words, { flags: 'q', long: long('short quiet') }).operands.length === 1
        ? with_({ flags: 'q', long: long('short quiet') })(words, judge)
        : 'can change a reference',
  ],
  ['worktree', exactly('list', 'list --porcelain')],
  ['submodule', exactly('', 'status')],
  ['config', config],
  ['version', exactly('')],
]);

export const gitCheck: Check = (words, judge) => {
  const at = words.findIndex(
    (word) =>
      !(word.kind === 'static' && /^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs)$/.test(word.text)),
  );
  const [sub, ...rest] = at < 0 ? [] : words.slice(at);
  if (sub?.kind === 'static' && sub.text === '--version' && rest.length === 0) return undefined;
  const check = sub?.kind === 'static' ? SUBCOMMANDS.get(sub.text) : undefined;
  if (!check)
    return sub?.text.startsWith('-')
      ? `${sub.text} changes what git does`
      : `git ${sub?.text ?? ''} is not known to only read`;
  if (!judge.inRoot) return 'git in another directory than the workspace obeys the configuration it finds there';
  return check(rest, judge);
};

/** git takes revisions and paths; only what leads somewhere else can be read from outside. */
function operand(word: Word, judge: Judge): string | undefined {
  // %G in a format makes git start a program to check signatures.
  if (/%G|%\(signature/.test(word.text)) return 'checks signatures with a program';
  if (word.kind === 'dynamic') return word.splits ? `${word.text} could become an option` : undefined;
  return /^[/~]|^\.\.(?:\/|$)|\/\.\.(?:\/|$)/.test(word.text) ? judge.path(word) : undefined;
}

function grep(words: readonly Word[], judge: Judge): string | undefined {
  const { operands, objection } = splitOptions(words, GREP);
  if (objection !== undefined) return objection;
  const pattern = words.some((word) => /^-\w*e/.test(word.text)) ? undefined : operands[0];
  return first(
    words,
    (word) => judge.text(word) ?? (word === pattern && word.kind === 'static' ? undefined : operand(word, judge)),
  );
}

/** One key, asked for by name; keys that hold credentials ask. */
function config(words: readonly Word[]): string | undefined {
  const texts = words.map((word) => (word.kind === 'static' ? word.text : '\n'));
  const keys = texts.filter(
    (text) => !/^--(?:get|get-all|global|local|system|show-origin|show-scope|type=\w+|bool|int)$/.test(text),
  );
  const [key = ''] = keys;
  if (keys.length !== 1 || !/^[A-Za-z][\w-]*\.[\w./-]+$/.test(key)) return 'can change the configuration';
  return /token|password|secret|header|credential|insteadof|url/i.test(key) ? 'can show credentials' : undefined;
}
