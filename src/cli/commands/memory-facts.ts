// The commands about facts that a model extracts from conversations.

import type { Command } from 'commander';
import { counted } from '../../lib/counted.ts';
import {
  acceptProposal,
  extractFacts,
  factLog,
  rejectProposal,
  undoExtraction,
} from '../../operations/memory-facts.ts';
import type { OutputOf } from '../../operations/operation.ts';
import { type Colors, colorsFor } from '../colors.ts';
import { integerFrom, single } from '../flags.ts';
import { COUNT_INDEXED, runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, warn, writeJson } from '../terminal.ts';

interface LogFlags extends OutputFlags {
  limit?: number;
  scope?: string;
}

export interface FactCommandOptions {
  terminal: Terminal;
  add(name: string, description: string): Command;
  scoped(command: Command): Command;
}

type Log = OutputOf<typeof factLog>;
type Extraction = Log['extractions'][number];

interface ExtractFlags extends OutputFlags {
  rested?: boolean;
  seconds?: number;
}

export function configureFacts({ terminal, add, scoped }: FactCommandOptions): void {
  scoped(add('log', 'Show the facts that were extracted from conversations'))
    .addOption(single('--limit <N>', 'at most N extractions (default: 20)', integerFrom(1)))
    .action((flags: LogFlags) => showLog(flags, terminal));
  add('extract', 'Extract the facts of waiting conversations now')
    .option('--rested', 'only of conversations that have rested (memoryFactsRestMinutes)')
    .addOption(single('--seconds <N>', 'stop after N seconds', integerFrom(1)))
    .action((flags: ExtractFlags) => extract(flags, terminal));
  add('undo', 'Undo an extraction of "memory log"')
    .argument('<number>')
    .action((number: string, flags: OutputFlags) =>
      runOperation(
        terminal,
        undoExtraction,
        { number: numberOf(number) },
        (undone) => {
          if (wantsJson(terminal, flags)) return writeJson(terminal, undone);
          const { removed } = undone;
          terminal.out.write(`undone: ${counted(removed, 'fact')} removed\n`);
        },
        COUNT_INDEXED,
      ),
    );
  add('accept', 'Make a proposal of "memory log" a fact')
    .argument('<number>')
    .action((number: string, flags: OutputFlags) =>
      runOperation(terminal, acceptProposal, { number: numberOf(number) }, (done) =>
        wantsJson(terminal, flags)
          ? writeJson(terminal, done)
          : void terminal.out.write('accepted: it is a fact now\n'),
      ),
    );
  add('reject', 'Drop a proposal of "memory log"')
    .argument('<number>')
    .action((number: string, flags: OutputFlags) =>
      runOperation(terminal, rejectProposal, { number: numberOf(number) }, (done) =>
        wantsJson(terminal, flags) ? writeJson(terminal, done) : void terminal.out.write('rejected\n'),
      ),
    );
}

async function extract({ rested, seconds, ...flags }: ExtractFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, extractFacts, { rested, seconds }, (report) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, report);
    const { conversations, facts, proposals, stopped } = report;
    if (stopped !== undefined) warn(terminal, stopped);
    const open = proposals > 0 ? `, ${proposals} to decide ("lainclaw memory log")` : '';
    if (conversations > 0)
      terminal.out.write(`${counted(facts, 'fact')} from ${counted(conversations, 'conversation')}${open}\n`);
    else if (stopped === undefined) terminal.out.write('nothing waits\n');
  });
}

async function showLog({ limit, scope, ...flags }: LogFlags, terminal: Terminal): Promise<void> {
  const whose = scope === 'project' ? `project:${terminal.environment.cwd}` : scope;
  await runOperation(terminal, factLog, { limit, scope: whose }, (log) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, log);
    const colors = colorsFor(terminal.out, terminal);
    const lines = [
      ...stateLines(log),
      ...proposalLines(log, colors),
      ...log.extractions.flatMap((each) => extractionLines(each, colors)),
      ...log.forgotten.map(forgottenLine),
    ];
    terminal.out.write(
      lines.length > 0
        ? `${lines.join('\n')}\n`
        : 'no facts yet: they are extracted from conversations with memory, once they rest\n',
    );
  });
}

function stateLines({ off, waiting: { turns, conversations, givenUp } }: Log): string[] {
  const waiting = `${counted(turns, 'turn')} of ${counted(conversations, 'conversation')} ${turns === 1 ? 'waits' : 'wait'}`;
  return [
    ...(off === undefined ? [] : [`no facts are extracted: ${off.text}`]),
    ...(turns > 0
      ? [off === undefined ? `${waiting} until they have rested; "lainclaw memory extract" does it now` : waiting]
      : []),
    ...(givenUp > 0
      ? [`${counted(givenUp, 'turn was', 'turns were')} given up; "lainclaw memory extract" tries again`]
      : []),
  ];
}

function proposalLines({ proposals }: Log, { bold, dim }: Colors): string[] {
  return proposals.flatMap(({ number, text, why, otherText, sessionKey, saidAt }) => [
    `${bold(`? ${number}`)}  ${printable(text)}  ${dim(printable(`${sessionKey}, ${saidAt.slice(0, 10)}`))}`,
    ...(otherText === undefined ? [] : [`     known: ${printable(otherText)}`]),
    `     ${why === 'tainted' ? 'content from outside was in the conversation' : 'both cannot be true'}: "lainclaw memory accept ${number}" or "reject ${number}"`,
  ]);
}

function extractionLines(
  { number, at, sessionKey, turns, model, usage, problem, undoneAt, changes }: Extraction,
  colors: Colors,
): string[] {
  const tokens = usage ? `${usage.inputTokens + usage.outputTokens} tokens` : undefined;
  const cost = usage?.costUsd === undefined ? undefined : `$${usage.costUsd.toFixed(4)}`;
  const parts = [
    `${counted(turns, 'turn')} of ${sessionKey}`,
    model,
    tokens,
    cost,
    undoneAt === undefined ? undefined : 'undone',
  ];
  const head = `${colors.bold(`#${number}`)}  ${at.slice(0, 16).replace('T', ' ')}  ${colors.dim(printable(parts.filter((part) => part !== undefined).join(', ')))}`;
  if (problem !== undefined) return [head, `     ${colors.yellow(printable(problem))}`];
  if (changes.length === 0) return [head, '     nothing to remember'];
  return [head, ...changes.map((change) => `     ${printable(changeLine(change))}`)];
}

function changeLine({ relation, kind, id, text = '(forgotten)', otherText }: Extraction['changes'][number]): string {
  const replaced = otherText === undefined ? '' : `  (before: ${otherText})`;
  const named = id === undefined ? '' : `  ${id}`;
  if (relation === 'proposed')
    return `${id === undefined ? 'proposed' : 'accepted'} ${kind}: ${text}${replaced}${named}`;
  return `${relation} ${kind}: ${text}${replaced}${named}`;
}

function forgottenLine({ at, places, conversations }: Log['forgotten'][number]): string {
  const counts = [...Object.entries(places), ...(conversations > 0 ? [['conversation', conversations]] : [])];
  return `forgotten everywhere  ${at.slice(0, 16).replace('T', ' ')}  ${counts.map(([place, count]) => `${place}: ${count}`).join(', ')}`;
}

function numberOf(text: string): number {
  const number = Number(text.replace(/^#/, ''));
  if (Number.isInteger(number) && number > 0) return number;
  throw new UsageError(`"${text}" is not a number of "lainclaw memory log"`);
}
