import { localTime } from '../../../lib/local-time.ts';
import { gatewayLogs } from '../../../operations/gateway.ts';
import { colorsFor } from '../../colors.ts';
import { runOperation } from '../../run-operation.ts';
import { type OutputFlags, type Terminal, wantsJson } from '../../terminal.ts';
import { logLine } from './log-line.ts';

export interface LogsFlags extends OutputFlags {
  follow?: boolean;
  lines?: number;
}

/** For a program, lines of JSON as they are in the file. */
export async function logs({ lines, follow, ...flags }: LogsFlags, terminal: Terminal): Promise<void> {
  const colors = colorsFor(terminal.out, terminal);
  const asJson = wantsJson(terminal, flags);
  let day = '';
  const onPiece = (line: string): void => {
    if (asJson) return void terminal.out.write(`${line}\n`);
    const [, time] = /"time":"([^"]+)"/.exec(line) ?? [];
    const today = time === undefined ? day : localTime(time).slice(0, 10);
    // Lines have the time only: they may be of last week.
    if (today !== day) terminal.out.write(`${colors.dim(today)}\n`);
    day = today;
    terminal.out.write(logLine(line, colors));
  };
  await runOperation(terminal, gatewayLogs, { lines, follow }, () => {}, { onPiece });
}
