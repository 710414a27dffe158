// Which commands a command would start in turn: env, xargs, sh -c, find -exec and their kind. Each wrapper is one function
// from the words it is given to what it starts; what cannot be seen from the words is said to be unseen, never guessed away.
import { baseName } from './command.ts';
import { unwrapShell } from './unwrap-shell.ts';
import { unwrapStarter } from './unwrap-starter.ts';
import { unwrapTool } from './unwrap-tool.ts';
import { unwrapXargs } from './unwrap-xargs.ts';
import type { Unwrapped, Wrapper } from './unwrapped.ts';

const NOTHING: Unwrapped = { inner: [], hazards: [] };

export function unwrap(command: Wrapper): Unwrapped {
  if (command.program === undefined) return NOTHING;
  const name = baseName(command.program);
  const rest = command.words.slice(1);
  return (
    unwrapStarter(name, rest) ??
    unwrapXargs(name, rest, command.pipedFrom) ??
    unwrapShell(name, rest, command) ??
    unwrapTool(name, rest) ??
    NOTHING
  );
}
