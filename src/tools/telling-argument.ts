// What tells a person most about a call, in one line, whatever the tool: a command whole, a pattern with where it is looked for, a file with
// the lines that are read of it.
import type { ToolArgs } from './tool.ts';

const TELLING = ['command', 'pattern', 'path', 'query', 'url', 'name'];

/** Undefined where no argument tells anything. */
export function tellingArgument(args: ToolArgs): string | undefined {
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

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
