// What tells a person most about a call, in one line, whatever the tool: a command whole, a pattern with where it is looked for, a file with
// the lines that are read of it, the files of a patch.
import type { ToolArgs } from './tool.ts';

const TELLING = ['command', 'pattern', 'path', 'query', 'url', 'name'];

/** Undefined where no argument tells anything. */
export function tellingArgument(args: ToolArgs): string | undefined {
  if (isWord(args.patch)) return filesOfPatch(args.patch);
  const [key, value] = TELLING.map((each) => [each, args[each]] as const).find(([, each]) => isWord(each)) ?? [];
  if (key === undefined || !isWord(value)) return undefined;
  if (key === 'pattern') return isWord(args.path) && args.path !== '.' ? `${value} in ${args.path}` : value;
  return key === 'path' ? `${value}${linesOf(args)}` : value;
}

/** `:5-24`, as editors and compilers write it. */
function linesOf({ startLine, maxLines }: ToolArgs): string {
  const [first, count] = [startLine, maxLines].map((value) => (typeof value === 'number' ? value : undefined));
  if (first === undefined && count === undefined) return '';
  return `:${first ?? 1}-${count === undefined ? '' : (first ?? 1) + count - 1}`;
}

const FILES_NAMED = 3;

/** Also of a patch that cannot be used. */
function filesOfPatch(patch: string): string | undefined {
  const found = patch.matchAll(/^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?)(\S.*)$/gm);
  const files = [...new Set([...found].flatMap(([, path]) => path ?? []))];
  if (files.length === 0) return undefined;
  const more = files.length > FILES_NAMED ? ` and ${files.length - FILES_NAMED} more` : '';
  return `${files.slice(0, FILES_NAMED).join(', ')}${more}`;
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
