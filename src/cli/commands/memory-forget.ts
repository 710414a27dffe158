// `memory forget`: one memory, a source, or a text wherever it is kept.
import { counted } from '../../lib/counted.ts';
import { findEverywhere, forgetEverywhere } from '../../operations/forget-everywhere.ts';
import { forgetNote, forgetSource } from '../../operations/memory.ts';
import type { OutputOf } from '../../operations/operation.ts';
import { CommandError } from '../command-error.ts';
import { COUNT_INDEXED, operationContext, runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, warn, writeJson } from '../terminal.ts';
import { terminalPrompter } from '../terminal-prompter.ts';
import { withRuntime } from '../with-runtime.ts';

export interface ForgetFlags extends OutputFlags {
  source?: string;
  scope?: string;
  everywhere?: string;
  conversations?: boolean;
  yes?: boolean;
}

type Report = OutputOf<typeof findEverywhere>;

/** Of places with a name, at most so many of a kind are listed. */
const LISTED = 5;

export async function forget(id: string | undefined, flags: ForgetFlags, terminal: Terminal): Promise<void> {
  const { source, scope, everywhere } = flags;
  if (everywhere !== undefined) {
    if (id !== undefined || source !== undefined || scope !== undefined)
      throw new UsageError('--everywhere takes the text alone: no id, no --source, no --scope');
    return forgetText(everywhere, flags, terminal);
  }
  if (flags.conversations) throw new UsageError('--conversations goes with --everywhere');
  const show = ({ forgotten }: { forgotten: number }): void => {
    if (wantsJson(terminal, flags)) writeJson(terminal, { forgotten });
    else terminal.out.write(`${forgotten} forgotten\n`);
  };
  if (id !== undefined && source === undefined && scope === undefined)
    return runOperation(terminal, forgetNote, { id }, show, COUNT_INDEXED);
  if (id === undefined && source !== undefined)
    return runOperation(terminal, forgetSource, { source, scope }, show, COUNT_INDEXED);
  throw new UsageError(
    'give the id of one memory, --source (and --scope) for everything of a source, or --everywhere with a text',
  );
}

async function forgetText(
  text: string,
  { conversations, yes, ...flags }: ForgetFlags,
  terminal: Terminal,
): Promise<void> {
  const asJson = wantsJson(terminal, flags);
  await withRuntime(terminal, async (runtime) => {
    const context = operationContext(runtime, terminal, COUNT_INDEXED);
    const found = await findEverywhere.run({ text }, context);
    const isNothing = found.places.length === 0 && found.conversations.length === 0;
    if (isNothing && asJson) return writeJson(terminal, { ...found, forgotten: false });
    if (isNothing) return void terminal.out.write('nothing found\n');
    if (!asJson) terminal.out.write(`${shown(found, conversations ?? false).join('\n')}\n`);
    if (!yes && !(await isConfirmed(terminal))) throw new CommandError('NOT_CONFIRMED', 'nothing was forgotten');
    const done = await forgetEverywhere.run({ text, conversations }, context);
    if (asJson) return writeJson(terminal, { ...done, forgotten: true });
    terminal.out.write('forgotten\n');
    for (const key of done.waiting)
      warn(terminal, `a turn of ${printable(key)} is running: it is forgotten there when that has ended`);
    for (const file of done.left)
      warn(
        terminal,
        `${printable(file)} still holds it: the file is yours, or the text is part of a name, a key or a time`,
      );
    warn(terminal, 'backups that you made before still hold it');
  });
}

async function isConfirmed(terminal: Terminal): Promise<boolean> {
  const person = await terminalPrompter(terminal);
  if (!person) throw new UsageError('forgetting cannot be taken back: confirm with --yes');
  return person.confirm('Remove all of this for good?', terminal.signal);
}

function shown({ places, conversations }: Report, isWhole: boolean): string[] {
  const byPlace = Map.groupBy(places, ({ place }) => place);
  const lines = [...byPlace].flatMap(([place, of]) => {
    const count = of.reduce((sum, each) => sum + each.count, 0);
    const named = of.filter(({ name }) => name !== '').slice(0, LISTED);
    const more = of.length > LISTED ? [`    … ${of.length - LISTED} more`] : [];
    return [`${place}: ${count}`, ...named.map(({ name }) => `    ${printable(name)}`), ...more];
  });
  return [
    ...lines,
    ...conversations.map(({ sessionKey, title, lines: held }) => {
      const named = title === undefined ? '' : ` “${printable(title)}”`;
      const what = isWhole ? 'deleted as a whole' : `redacted in ${counted(held, 'line')}`;
      return `conversation ${printable(sessionKey)}${named}: ${what}`;
    }),
  ];
}
