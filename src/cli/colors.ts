import colors from 'picocolors';
import type { OutputStream } from './host.ts';
import type { Terminal } from './terminal.ts';

export type Colors = ReturnType<typeof colors.createColors>;

/** Colours only on a terminal, and never with NO_COLOR. */
export function colorsFor(stream: OutputStream, { environment }: Terminal): Colors {
  const refused = Boolean(environment.variables.NO_COLOR) || environment.variables.TERM === 'dumb';
  return colors.createColors(stream.isTTY && !refused);
}
