// One call as a card: its state, its name, the argument that tells most; below it, while it runs, the end of what it shows, and
// afterwards what it changed or why it failed. Expanded, all of that.
import { stripTerminalSequences, truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';
import { checklistLines, checklistOf } from '../../tools/checklist.ts';
import { tellingArgument } from '../../tools/telling-argument.ts';
import type { ToolResult } from '../../tools/tool.ts';
import type { Colors } from '../colors.ts';
import type { ToolEntry } from './entries.ts';
import { shownText } from './shown-text.ts';

const LIVE_LINES = 5;
const FAILURE_LINES = 4;
const PREVIEW_LINES = 3;
const EXPANDED_LINES = 400;
const ARGUMENT_SHOWN = 300;

export function toolCard(entry: ToolEntry, isExpanded: boolean, width: number, colors: Colors): string[] {
  const { call, end } = entry;
  const argument = oneLine(tellingArgument(call.args) ?? '');
  const sign = mark(entry, colors);
  const name = colors.bold(oneLine(call.name));
  const facts = colors.dim(factsOf(entry));
  const body = isExpanded ? wholeBody(entry, colors) : shortBody(entry, colors);
  const shown = body.map((line) => truncateToWidth(`  ${line}`, width, '…'));
  // Facts stand last: on a narrow screen the argument gives way to them.
  const room = Math.max(0, width - visibleWidth(`${sign} ${name} · ${facts}`));
  const told = room >= 4 && argument !== '' ? ` ${truncateToWidth(argument, room - 1, '…')}` : '';
  const line = `${sign} ${name}${told}${visibleWidth(facts) === 0 ? '' : ` ${colors.dim('·')} ${facts}`}`;
  return [truncateToWidth(line, width, end.state === 'running' ? '' : '…'), ...shown];
}

function mark({ end }: ToolEntry, colors: Colors): string {
  if (end.state === 'running') return colors.yellow('●');
  if (end.state === 'cut-short') return colors.yellow('⏹');
  return end.result.ok ? colors.green('✓') : colors.red('✗');
}

function factsOf({ end }: ToolEntry): string {
  if (end.state === 'cut-short') return 'cut short';
  if (end.state === 'running') return '';
  const { result } = end;
  const facts = [
    ...changesOf(result),
    result.meta.cached ? 'cached' : duration(result.meta.durationMs),
    !result.ok && result.error.reason === 'denied' ? 'not approved' : '',
  ];
  return facts.filter((fact) => fact !== '').join(' · ');
}

/** Lines added and removed, where the result has a diff. */
function changesOf(result: ToolResult): string[] {
  const lines = diffOf(result);
  if (lines.length === 0) return [];
  const count = (sign: string): number =>
    lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  return [`+${count('+')} −${count('-')}`];
}

function shortBody({ end, output }: ToolEntry, colors: Colors): string[] {
  if (end.state === 'running') return lastLines(output, LIVE_LINES).map(colors.dim);
  if (end.state === 'cut-short') return lastLines(output, PREVIEW_LINES).map(colors.dim);
  const { result } = end;
  if (!result.ok) return firstLines(result.error.message, FAILURE_LINES, colors).map(colors.red);
  const checklist = checklistOf(result);
  if (checklist) return checklistLines(checklist).map(lineOfOutput);
  return lastLines(outputOf(result), PREVIEW_LINES).map(colors.dim);
}

function wholeBody(entry: ToolEntry, colors: Colors): string[] {
  const { call, end, output } = entry;
  const args = firstLines(JSON.stringify(call.args), EXPANDED_LINES, colors).map(colors.dim);
  if (end.state !== 'ended') return [...args, ...lastLines(output, EXPANDED_LINES)];
  const { result } = end;
  const failure = result.ok ? [] : firstLines(result.error.message, EXPANDED_LINES, colors).map(colors.red);
  const diff = diffOf(result);
  if (diff.length > 0)
    return [...args, ...failure, ...diff.slice(0, EXPANDED_LINES).map((line) => ofDiff(line, colors))];
  return [...args, ...failure, ...firstLines(outputOf(result) || textOf(result), EXPANDED_LINES, colors)];
}

function ofDiff(line: string, colors: Colors): string {
  const text = shownText(line);
  if (text.startsWith('+')) return colors.green(text);
  return text.startsWith('-') ? colors.red(text) : text;
}

function diffOf({ data }: ToolResult): string[] {
  const { diff } = (data ?? {}) as { diff?: unknown };
  return typeof diff === 'string' && diff !== '' ? diff.trimEnd().split('\n') : [];
}

function outputOf({ data }: ToolResult): string {
  const { output, notes = [] } = (data ?? {}) as { output?: unknown; notes?: readonly string[] };
  if (typeof output !== 'string') return '';
  return [output.trimEnd(), ...notes.map((note) => `[${note}]`)].join('\n');
}

function textOf({ data }: ToolResult): string {
  if (data === undefined || data === null) return '';
  const { content } = data as { content?: unknown };
  if (typeof content === 'string') return content;
  return typeof data === 'string' ? data : JSON.stringify(data, undefined, 2);
}

function firstLines(text: string, most: number, colors: Colors): string[] {
  const lines = text.trimEnd().split('\n', most + 1);
  const shown = lines.slice(0, most).map(lineOfOutput);
  return lines.length > most ? [...shown, colors.dim('…')] : shown.filter((line) => line !== '' || shown.length > 1);
}

function lastLines(text: string, most: number): string[] {
  const whole = text.trimEnd();
  return whole === '' ? [] : whole.split('\n').slice(-most).map(lineOfOutput);
}

/** As a program meant it for a terminal: the last state of a line that it wrote over, without its colours. */
function lineOfOutput(line: string): string {
  return shownText(stripTerminalSequences(line.trimEnd().split('\r').at(-1) ?? ''));
}

function oneLine(text: string): string {
  return shownText(text.slice(0, ARGUMENT_SHOWN).replace(/\s+/g, ' ').trim());
}

function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
