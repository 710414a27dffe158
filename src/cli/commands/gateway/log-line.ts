import type { Colors } from '../../colors.ts';
import { printable } from '../../terminal.ts';

/** Where the text begins: further lines of a message are aligned with it. */
const INDENT = 20;

/** A line of the log as a person reads it: their own time, where, what. */
export function logLine(line: string, colors: Colors): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line);
  } catch {
    return `${printable(line)}\n`;
  }
  const { time, level, channel, account, event, message, ...details } = entry;
  const at = new Date(String(time));
  const clock = Number.isNaN(at.getTime()) ? '--:--:--' : at.toTimeString().slice(0, 8);
  const where =
    channel === undefined
      ? 'gateway'
      : account === undefined || account === 'default'
        ? channel
        : `${channel}/${account}`;
  const paint = level === 'error' ? colors.red : level === 'warn' ? colors.yellow : colors.bold;
  const more = message ?? (Object.keys(details).length > 0 ? JSON.stringify(details) : '');
  const told = printable(String(more)).replaceAll('\n', `\n${' '.repeat(INDENT)}`);
  // A note says everything itself; its level must still be seen.
  const what = event !== 'note' ? [paint(printable(String(event))), told] : [level === 'info' ? told : paint(told)];
  return `${[colors.dim(clock), colors.cyan(printable(String(where)).padEnd(10)), ...what].join(' ').trimEnd()}\n`;
}
