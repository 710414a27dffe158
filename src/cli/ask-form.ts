// A form of an MCP server at a terminal.
import { answerForm } from '../gateway/forms/fill-form.ts';
import type { FormAnswer, FormRequest } from '../mcp/elicitation.ts';
import { colorsFor } from './colors.ts';
import { withLines } from './read-lines.ts';
import type { Terminal } from './terminal.ts';

export const GIVE_UP = 'Ctrl-D gives up';

export async function askForm(request: FormRequest, terminal: Terminal, signal: AbortSignal): Promise<FormAnswer> {
  const { err } = terminal;
  const colors = colorsFor(err, terminal);
  return withLines(terminal, signal, (read) =>
    answerForm(request, { read, write: (text) => err.write(text), colors, giveUp: GIVE_UP }),
  );
}
