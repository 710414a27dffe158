import type { Colors } from '../../colors.ts';
import { printable } from '../../terminal.ts';

/** A line of the log as a person reads it: time, where, what. */
export function logLine(line: string, colors: Colors): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line);
  } catch {
    return `${printable(line)}\n`;
  }
  const { time, level, channel, account, event, message, ...details } = entry;
  const clock = String(time).slice(11, 19);
  const where =
    channel === undefined
      ? 'gateway'
      : account === undefined || account === 'default'
        ? channel
        : `${channel}/${account}`;
  const paint = level === 'error' ? colors.red : level === 'warn' ? colors.yellow : colors.bold;
  const more = message ?? (Object.keys(details).length > 0 ? JSON.stringify(details) : '');
  return `${colors.dim(clock)} ${colors.cyan(printable(String(where)).padEnd(10))} ${paint(printable(String(event)))} ${printable(String(more))}`
    .trimEnd()
    .concat('\n');
}
