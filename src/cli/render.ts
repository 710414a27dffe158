// A turn on the way to its reader: as one JSON value on stdout, or as streamed text with tool lines on stderr.
import type { AskResult, RunEvent } from '../pipeline/events.ts';
import { CALLED_BY_HAND } from '../pipeline/events.ts';
import type { GrantedPermission } from '../pipeline/questions.ts';
import { checklistLines, checklistOf } from '../tools/checklist.ts';
import type { ToolCall, ToolResult } from '../tools/tool.ts';
import { describeRecalled } from '../vocabulary/recalled.ts';
import { type Colors, colorsFor } from './colors.ts';
import { withoutShown } from './live-output.ts';
import { printable, type Terminal, warn, writeJson } from './terminal.ts';

const ARGS_SHOWN = 100;

export async function renderJson(events: AsyncIterable<RunEvent>, terminal: Terminal): Promise<AskResult> {
  let result: AskResult | undefined;
  for await (const event of events) {
    if (event.type === 'waiting') sayWaiting(terminal);
    if (event.type === 'notice') warn(terminal, event.text);
    if (event.type === 'run-end') result = event.result;
  }
  const ended = endOf(result);
  writeJson(terminal, ended);
  sayFailure(ended, terminal);
  return ended;
}

export interface RenderOptions {
  /** Say what a person allowed: who looks at it was not there. */
  showsGrants?: boolean;
}

export async function renderText(
  events: AsyncIterable<RunEvent>,
  terminal: Terminal,
  { showsGrants = false }: RenderOptions = {},
): Promise<AskResult> {
  const { out, err } = terminal;
  const colors = colorsFor(err, terminal);
  let result: AskResult | undefined;
  // What this step has streamed, and the last step that streamed anything: a limit repeats it as the result.
  let streamed = '';
  let lastShown = '';
  const live = new Map<string, string>();
  // Where both go to one screen, a line about the turn does not continue the words of the answer.
  let isBroken = false;
  const breakLine = (): void => {
    if (!out.isTTY || !err.isTTY || isBroken || streamed === '' || streamed.endsWith('\n')) return;
    out.write('\n');
    isBroken = true;
  };
  for await (const event of events) {
    switch (event.type) {
      case 'run-start':
        break;
      case 'waiting':
        sayWaiting(terminal);
        break;
      case 'notice':
        breakLine();
        warn(terminal, event.text);
        break;
      case 'recalled':
        if (err.isTTY) err.write(`${colors.dim(`recalled ${describeRecalled(event.items)}`)}\n`);
        break;
      case 'text-delta':
        streamed += event.text;
        lastShown = streamed;
        isBroken = false;
        out.write(printable(event.text));
        break;
      case 'text-restart':
        if (streamed !== '' && !isBroken) out.write('\n');
        streamed = '';
        lastShown = '';
        err.write(
          `${colors.yellow('↻')} ${printable(event.reason)}; asking again in ${Math.ceil(event.waitMs / 1000)} s\n`,
        );
        break;
      case 'tool-start':
        if (streamed !== '' && !streamed.endsWith('\n') && !isBroken) out.write('\n');
        streamed = '';
        break;
      case 'tool-output':
        live.set(event.call.id, (live.get(event.call.id) ?? '') + event.text);
        err.write(colors.dim(printable(event.text)));
        break;
      case 'tool-end':
        err.write(`${toolLine(event.call, event.result, colors)}\n`);
        for (const line of checklistLines(checklistOf(event.result) ?? [])) err.write(`  ${printable(line)}\n`);
        if (showsGrants && event.granted) err.write(`${colors.dim(`  ${grantLine(event.granted)}`)}\n`);
        break;
      case 'steered':
        err.write(`${colors.bold('>')} ${printable(event.message.text).replaceAll('\n', '\n  ')}\n`);
        break;
      case 'run-end':
        result = event.result;
        break;
    }
  }
  const ended = endOf(result);
  const shown = streamed || lastShown;
  const told = out.isTTY && err.isTTY && ended.route === CALLED_BY_HAND ? newsOf(ended, live) : ended.result;
  const rest = shown !== '' && told.startsWith(shown) ? told.slice(shown.length).trimStart() : told;
  if (streamed !== '' && !isBroken) out.write('\n');
  if (rest !== '') out.write(`${printable(rest)}\n`);
  if (ended.success && ended.toolError && ended.stage !== 'answered')
    err.write(`${colors.yellow('!')} ${printable(ended.toolError.message)}\n`);
  sayFailure(ended, terminal);
  return ended;
}

/** The results are the answer, and a person who sees them has seen what the calls showed. */
function newsOf({ result: told, toolResults }: AskResult, live: ReadonlyMap<string, string>): string {
  return toolResults.reduce(
    (text, { call, result }) => withoutShown(text, { before: `${call.name}: `, result, live: live.get(call.id) ?? '' }),
    told,
  );
}

function toolLine(call: ToolCall, result: ToolResult, colors: Colors): string {
  const args = JSON.stringify(call.args);
  const shown = printable(args === '{}' ? '' : args.length > ARGS_SHOWN ? `${args.slice(0, ARGS_SHOWN)}…` : args);
  const head =
    `${result.ok ? colors.green('✓') : colors.red('✗')} ${colors.bold(printable(call.name))} ${colors.dim(shown)}`.trimEnd();
  const took = colors.dim(`${result.meta.durationMs} ms${result.meta.cached ? ', cached' : ''}`);
  return result.ok ? `${head} ${took}` : `${head} ${colors.red(printable(result.error.message))}`;
}

/** `allowed once by Anna, in the chat` */
export function grantLine({
  scope,
  by,
  place,
  rules,
}: Pick<GrantedPermission, 'by' | 'rules'> & { scope: string; place: string }): string {
  const kept = rules.length > 0 ? `; kept as ${rules.join(', ')}` : '';
  return printable(`allowed ${scope} by ${by}, in the ${place}${kept}`);
}

function sayWaiting(terminal: Terminal): void {
  warn(terminal, 'another turn of this session is running; waiting for it');
}

function sayFailure(result: AskResult, { err }: Terminal): void {
  if (!result.success) err.write(`error ${result.error.code}: ${printable(result.error.message)}\n`);
}

function endOf(result: AskResult | undefined): AskResult {
  if (!result) throw new Error('the turn ended without a result');
  return result;
}
