import type { ToolArgs } from './tool.ts';

const TELLING = ['command', 'path', 'pattern', 'query', 'url', 'name'];

/** The argument that tells a person most about a call; undefined where none does. */
export function tellingArgument(args: ToolArgs): string | undefined {
  return TELLING.map((key) => args[key]).find((value) => typeof value === 'string') as string | undefined;
}
