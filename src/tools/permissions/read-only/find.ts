// find: reads only with expressions that test or print. What -exec starts is judged by itself.
import type { Word } from '../command.ts';
import { type Check, first } from './check.ts';

const HARMLESS = new Set(
  (
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -empty ' +
    '-mtime -mmin -atime -amin -ctime -cmin -newer -newermt -newerat -newerct -anewer -cnewer -used -daystart ' +
    '-perm -user -group -uid -gid -nouser -nogroup -readable -writable -executable -links -inum -samefile ' +
    '-maxdepth -mindepth -depth -prune -xdev -mount -quit -print -print0 -printf -ls ' +
    '-not -a -and -o -or -true -false -warn -nowarn -noleaf -ignore_readdir_race -exec'
  ).split(' '),
);

const TAKES_VALUE =
  /^-(?:i?name|i?path|i?wholename|i?regex|regextype|i?lname|x?type|size|[acm](?:time|min)|newer\w*|[ac]newer|perm|user|group|[ug]id|links|inum|samefile|maxdepth|mindepth|printf|used)$/;

export const findCheck: Check = (words, judge) => {
  const start = words.findIndex(({ text }) => (text.length > 1 && /^-(?![HP]$)/.test(text)) || /^[(!]$/.test(text));
  const roots = start < 0 ? words : words.slice(0, start);
  const expression = start < 0 ? [] : withoutCommands(words.slice(start));
  return (
    first(roots, (word) => (/^-[HP]$/.test(word.text) ? undefined : (judge.path(word) ?? predicate(word)))) ??
    first(expression, (word) => judge.text(word) ?? predicate(word, expression[expression.indexOf(word) - 1]))
  );
};

function predicate(word: Word, before?: Word): string | undefined {
  switch (word.kind) {
    case 'static':
      return !/^-[a-zA-Z]/.test(word.text) || HARMLESS.has(word.text)
        ? undefined
        : `${word.text} is not known to be harmless`;
    case 'glob':
      return matchesAction(word.text) ? `${word.text} could become an action` : undefined;
    case 'one-of':
      return first(word.options, (option) => predicate(option));
    case 'dynamic':
      return !word.splits && before?.kind === 'static' && TAKES_VALUE.test(before.text)
        ? undefined
        : `${word.text} could become an action`;
  }
}

/** A file can be named like an action: `find . -name *` would run it. */
function matchesAction(glob: string): boolean {
  const source = glob
    .replace(/\*+/g, '*')
    .replace(/\[[^\]]*\]|[*?]|[^\w]/g, (part) => (part === '*' ? '.*' : /^[?[]/.test(part) ? '.' : `\\${part}`));
  const pattern = new RegExp(`^${source}$`);
  return [
    '-delete',
    '-exec',
    '-execdir',
    '-ok',
    '-okdir',
    '-fls',
    '-fprint',
    '-fprint0',
    '-fprintf',
    '-files0-from',
  ].some((action) => pattern.test(action));
}

/** Leaves out the words from -exec to its end. */
function withoutCommands(words: readonly Word[]): Word[] {
  const kept: Word[] = [];
  let inside = false;
  for (const word of words) {
    if (!inside) kept.push(word);
    if (word.kind === 'static' && word.text === '-exec') inside = true;
    else if (inside && word.kind === 'static' && /^[;+]$/.test(word.text)) inside = false;
  }
  return kept;
}
