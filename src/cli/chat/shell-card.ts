// A command behind `!` and what it printed: the person asked for it, so more of it is shown than of a tool's call.
import { stripTerminalSequences } from '@earendil-works/pi-tui';
import type { Colors } from '../colors.ts';
import type { ShellEntry } from './entries.ts';
import { indented, shortened, shownText } from './shown-text.ts';

const SHOWN_LINES = 20;
const EXPANDED_LINES = 1_000;

export function shellCard(entry: ShellEntry, isExpanded: boolean, width: number, colors: Colors): string[] {
  const { command, output, end } = entry;
  const head = indented(colors.bold(shownText(command)), width, colors.yellow('! '), 2);
  const whole = stripTerminalSequences(output).trimEnd();
  const lines = whole === '' ? [] : whole.split('\n').map((line) => line.trimEnd().split('\r').at(-1) ?? '');
  const most = isExpanded ? EXPANDED_LINES : SHOWN_LINES;
  const hidden = lines.length - most;
  const before = hidden > 0 ? [colors.dim(`  … ${hidden} lines${isExpanded ? '' : ' (Ctrl+O shows more)'}`)] : [];
  const shown = lines.slice(-most).flatMap((line) => indented(shownText(line), width, '  ', 2));
  return [...head, ...before, ...shown, ...ending(end, colors)].map((line) => shortened(line, width));
}

function ending(end: ShellEntry['end'], colors: Colors): string[] {
  if (end.state === 'running') return [colors.dim('  ● running · Ctrl+C stops it')];
  if (end.wasStopped) return [colors.yellow('  ⏹ stopped')];
  return end.code === 0 ? [] : [colors.red(`  ✗ exit code ${end.code}`)];
}
