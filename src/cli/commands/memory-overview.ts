// `lainclaw memory` alone, and `lainclaw memory why`.

import type { Command } from 'commander';
import { counted } from '../../lib/counted.ts';
import { localTime } from '../../lib/local-time.ts';
import { explainRecall, summariseMemory } from '../../operations/memory-overview.ts';
import type { OutputOf } from '../../operations/operation.ts';
import { type Colors, colorsFor } from '../colors.ts';
import { single, text, withOutput } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, writeJson } from '../terminal.ts';

const HEAD_CHARACTERS = 80;

interface OverviewFlags extends OutputFlags {
  scope?: string;
}

interface WhyFlags extends OutputFlags {
  session?: string;
}

export interface OverviewOptions {
  terminal: Terminal;
  scoped(command: Command): Command;
  add(name: string, description: string): Command;
}

export function configureOverview(memory: Command, { terminal, scoped, add }: OverviewOptions): void {
  const overview = memory
    .command('summary', { isDefault: true })
    .description('Show how much is remembered, and what was saved last (also "lainclaw memory" alone)');
  scoped(withOutput(overview))
    .allowExcessArguments(true)
    .action((flags: OverviewFlags, { args }: Command) => {
      // A word here is a subcommand that does not exist: the library says so, and names the nearest.
      if (args.length > 0) Object.assign(memory as unknown as { unknownCommand(): never }, { args }).unknownCommand();
      return summary(flags, terminal);
    });
  add('why', 'Show what was recalled for an answer, and from where')
    .argument('[turn]', 'the beginning of the id of a turn or message (default: the last turn)')
    .addOption(single('--session <key>', 'only in this session (default: the one used last)', text))
    .action((turn: string | undefined, flags: WhyFlags) => why(turn, flags, terminal));
}

async function summary(flags: OverviewFlags, terminal: Terminal): Promise<void> {
  const scope = flags.scope === 'project' ? `project:${terminal.environment.cwd}` : flags.scope;
  await runOperation(terminal, summariseMemory, { scope }, (found) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, found);
    terminal.out.write(`${written(found, colorsFor(terminal.out, terminal))}\n`);
  });
}

function written(found: OutputOf<typeof summariseMemory>, colors: Colors): string {
  const { notes, files, turns, facts, core, scopes, latest, oldest, newest, waiting, isRememberedByDefault } = found;
  const count = (number: number): string => number.toLocaleString('en-US');
  const ofKinds = Object.entries(facts).flatMap(([kind, number]) => (number > 0 ? [`${kind} ${count(number)}`] : []));
  const extracted = Object.values(facts).reduce((sum, number) => sum + number, 0);
  const days = [...new Set([oldest, newest].flatMap((date) => date?.slice(0, 10) ?? []))];
  const range = days.length > 0 ? days.join(' to ') : 'nothing yet';
  const others = scopes.filter(({ scope }) => scope !== 'owner');
  const lines = [
    `${colors.bold('Memory')}  ${range}; new conversations ${isRememberedByDefault ? 'are remembered' : 'are remembered with --memory only'}`,
    `  core memory    ${count(core)} ${core === 1 ? 'fact' : 'facts'}, in every request`,
    `  notes          ${count(notes)}`,
    `  files          ${count(files)}`,
    `  conversations  ${count(turns)} ${turns === 1 ? 'message' : 'messages'}`,
    `  facts          ${count(extracted)}${ofKinds.length > 0 ? ` (${ofKinds.join(', ')})` : ''}${waiting > 0 ? `; ${count(waiting)} ${waiting === 1 ? 'turn waits' : 'turns wait'} to be read` : ''}`,
    ...(others.length > 0
      ? [
          `  of others      ${others.map(({ scope, documents }) => `${printable(scope)} ${count(documents)}`).join(', ')}`,
        ]
      : []),
  ];
  if (latest.length === 0) return [...lines, '', 'lainclaw memory save "…" saves a note.'].join('\n');
  const saved = latest.map(({ id, date, head }) => {
    const line = printable(head).replace(/\s+/g, ' ').slice(0, HEAD_CHARACTERS);
    return `  ${date.slice(0, 10)}  ${line}  ${colors.dim(id)}`;
  });
  return [...lines, '', colors.bold('Saved last'), ...saved].join('\n');
}

async function why(turn: string | undefined, { session, ...flags }: WhyFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, explainRecall, { turn, session }, (found) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, found);
    terminal.out.write(`${explained(found, colorsFor(terminal.out, terminal))}\n`);
  });
}

function whyNothing({ remembers, provider }: OutputOf<typeof explainRecall>): string {
  if (!remembers) return 'memory was off (--memory, or "lainclaw config set memory true")';
  if (provider === 'stub') return 'no model was connected that could use it ("lainclaw setup" connects one)';
  return 'nothing in memory had enough to do with it';
}

function explained(found: OutputOf<typeof explainRecall>, colors: Colors): string {
  const { sessionKey, turnId, startedAt, question, tokens, recalled } = found;
  const when = startedAt === undefined ? '' : `, ${localTime(startedAt)}`;
  const head = `${colors.bold(printable(question).replace(/\s+/g, ' ').slice(0, HEAD_CHARACTERS))}  ${colors.dim(`${turnId} of ${printable(sessionKey)}${when}`)}`;
  if (recalled.length === 0) {
    const reason = whyNothing(found);
    return `${head}\nNothing was recalled: ${reason}.`;
  }
  const texts = recalled.map(({ id, source, scope, date, tainted, text: body }) => {
    const facts = [date?.slice(0, 10), source, scope === 'owner' ? undefined : scope, id];
    const mark = tainted ? `  ${colors.yellow('others had a part in it')}` : '';
    const missing = id === undefined ? 'see the memory file' : 'forgotten since';
    const said = body === undefined ? colors.dim(missing) : printable(body).replaceAll('\n', '\n  ');
    const place = printable(facts.filter((fact) => fact !== undefined).join(' · '));
    return `${colors.dim(place)}${mark}\n  ${said}`;
  });
  return [head, `${recalled.length} recalled, about ${counted(tokens, 'token')}:`, ...texts].join('\n');
}
