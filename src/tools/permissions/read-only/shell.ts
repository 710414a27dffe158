// Builtins that are harmless only in part.
import type { Check } from './check.ts';

/** A name that no program and no part of the shell takes a meaning from. */
const PLAIN_NAME = /^[a-z_][a-z0-9_]*$/;

export function isPlainVariable(name: string): boolean {
  return PLAIN_NAME.test(name) && !/_proxy$|^npm_|^histchars$|^auto_resume$/.test(name);
}

/** -v sets a variable, and so does %n; both can run a command in an array index. */
export const printfCheck: Check = (words, judge) => {
  const [format, ...values] = words;
  const told = format?.kind === 'static' && format.text === '--' ? values[0] : format;
  if (told?.kind !== 'static') return 'the format is only known when it runs';
  if (told.text.startsWith('-')) return `${told.text} can set a variable`;
  if (/%[^a-zA-Z%]*[hlLqjzt]*n/.test(told.text)) return '%n sets a variable';
  return words.map(judge.text).find((objection) => objection !== undefined);
};

/** `read -r name`: sets a variable that nothing else listens to. */
export const readCheck: Check = (words) =>
  words.every((word) => word.kind === 'static' && (word.text === '-r' || isPlainVariable(word.text)))
    ? undefined
    : 'sets a variable that can matter';

/** Not -x: it expands PS4, which can hold a command. */
export const setCheck: Check = (words) =>
  words.length > 0 && words.every((word) => word.kind === 'static' && /^(?:-[eu]*o?|pipefail)$/.test(word.text))
    ? undefined
    : 'changes the shell';

/** To where it leads is judged where relative paths are. */
export const cdCheck: Check = (words, judge) => {
  const [target, ...more] = words;
  if (more.length > 0 || target?.kind !== 'static' || target.text.startsWith('-') || target.text === '')
    return 'goes where only running it would tell';
  return judge.directory(target);
};

/** Operators stand where they are written; -v and -R look a variable up, which can run a command in an array index. */
export const testCheck: Check = (words, judge) => {
  const operands = words.filter((word) => word.text !== ']' && word.text !== '!');
  if (words.some((word) => /^-[vR]$/.test(word.text))) return 'looks a variable up by a computed name';
  const dynamic = operands.filter((word) => word.kind !== 'static');
  if (dynamic.some((word) => word.kind === 'glob' || (word.kind === 'dynamic' && word.splits)))
    return 'is given words that can become operators';
  if (dynamic.length > 0) {
    const [left, middle] = operands;
    const unary = operands.length === 2 && left?.kind === 'static';
    const binary = operands.length === 3 && middle?.kind === 'static';
    if (operands.length !== 1 && !unary && !binary) return 'is given words that can become operators';
  }
  return words.map(judge.text).find((objection) => objection !== undefined);
};
