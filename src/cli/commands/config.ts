// lainclaw config: the settings of config.json, one at a time or in an editor.
import {
  configPath,
  getSetting,
  listSettings,
  replaceConfig,
  setSetting,
  unsetSetting,
} from '../../operations/config.ts';
import type { Operation, OutputOf } from '../../operations/operation.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { withOutput } from '../flags.ts';
import { operationContext, runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, writeJson } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';

type Entry = OutputOf<typeof getSetting>;

export const configureConfig: ConfigureCommand = (config, terminal) => {
  const verb = (name: string, description: string) => withOutput(config.command(name).description(description));
  verb('list', 'List every setting: its value, where that comes from, what is accepted').action((flags: OutputFlags) =>
    list(flags, terminal),
  );
  verb('get', 'Print the value of a setting')
    .argument('<key>')
    .action((key: string, flags: OutputFlags) => get(key, flags, terminal));
  verb('set', 'Set a setting')
    .argument('<key>', 'the setting, or <key>=<value>')
    .argument('[value]', 'lists are separated by commas')
    .action((key: string, value: string | undefined, flags: OutputFlags) => set(key, value, flags, terminal));
  verb('unset', 'Remove a setting, so that its default holds')
    .argument('<key>')
    .action((key: string, flags: OutputFlags) => unset(key, flags, terminal));
  verb('path', 'Print where config.json is').action((flags: OutputFlags) => path(flags, terminal));
  verb('edit', 'Open config.json in $VISUAL or $EDITOR; it is checked before it is replaced').action(
    (flags: OutputFlags) => edit(flags, terminal),
  );
};

/** A setting that is refused is wrong usage. */
async function run<Input, Output>(
  terminal: Terminal,
  operation: Operation<Input, Output>,
  input: Input,
  show: (output: Output) => void,
): Promise<void> {
  try {
    await runOperation(terminal, operation, input, show, { ignoreBadConfig: true });
  } catch (error) {
    if (error instanceof CodedError && error.code === 'SETTING_REFUSED')
      throw new UsageError(error.message, { code: error.code });
    throw error;
  }
}

async function list(flags: OutputFlags, terminal: Terminal): Promise<void> {
  await run(terminal, listSettings, {}, (entries) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, entries);
    const width = Math.max(...entries.map(({ key }) => key.length));
    for (const entry of entries) terminal.out.write(`${entryLine(entry, width, terminal)}\n`);
  });
}

function entryLine(entry: Entry, width: number, terminal: Terminal): string {
  const { bold, dim, red } = colorsFor(terminal.out, terminal);
  const { key, about, problem } = entry;
  const value = printable(shownValue(entry));
  const line = `${bold(key.padEnd(width))}  ${value}  ${dim(`${sourceOf(entry)} · ${about}`)}`;
  return problem === undefined ? line : `${line}\n  ${red(printable(problem))}`;
}

function shownValue({ value, default: usual }: Entry): string {
  if (value === undefined) return String(usual ?? 'not set');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function sourceOf({ source, variable }: Entry): string {
  if (source === 'environment') return `from ${variable}`;
  return source === 'file' ? 'from config.json' : 'default';
}

async function get(key: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await run(terminal, getSetting, { key }, (entry) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, entry);
    terminal.out.write(`${printable(shownValue(entry))}\n`);
  });
}

async function set(written: string, given: string | undefined, flags: OutputFlags, terminal: Terminal): Promise<void> {
  const { key, value } = readAssignment(written, given);
  await run(terminal, setSetting, { key, value }, (entry) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, entry);
    terminal.out.write(`${printable(`${key} = ${shownValue(entry)}`)}\n`);
  });
}

/** `key value` or `key=value`: no key holds an equals sign, a value may. */
function readAssignment(written: string, given: string | undefined): { key: string; value: string } {
  const [key = '', ...rest] = written.split('=');
  if (given === undefined && rest.length > 0) return { key, value: rest.join('=') };
  if (given !== undefined && rest.length === 0) return { key, value: given };
  const problem = given === undefined ? 'the value is missing' : 'one setting at a time';
  throw new UsageError(`${problem}: lainclaw config set ${key || '<key>'} <value>, or ${key || '<key>'}=<value>`);
}

async function unset(key: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await run(terminal, unsetSetting, { key }, (outcome) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, outcome);
    terminal.out.write(`${printable(key)} ${outcome.removed ? 'is taken out of' : 'was not in'} config.json\n`);
  });
}

async function path(flags: OutputFlags, terminal: Terminal): Promise<void> {
  await run(terminal, configPath, {}, (found) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, found);
    terminal.out.write(`${printable(found.path)}\n`);
  });
}

const EMPTY = '{\n  "version": 1\n}\n';

async function edit(flags: OutputFlags, terminal: Terminal): Promise<void> {
  const { editCopy } = await import('../edit-copy.ts');
  await withRuntime(
    terminal,
    async (runtime) => {
      const context = operationContext(runtime, terminal);
      const source = (await runtime.configFile.read()) ?? EMPTY;
      const edited = await editCopy('config.json', source, terminal);
      if (edited.text === source) {
        await edited.discard();
        if (wantsJson(terminal, flags)) return writeJson(terminal, { changed: false });
        terminal.out.write('nothing was changed\n');
        return;
      }
      const { path: written } = await replaceConfig.run({ text: edited.text }, context).catch((error: Error) => {
        // What was typed is not thrown away.
        throw new UsageError(`${error.message}. config.json is as it was; what you wrote is in ${edited.path}`, {
          code: (error as { code?: string }).code ?? 'SETTING_REFUSED',
        });
      });
      await edited.discard();
      if (wantsJson(terminal, flags)) return writeJson(terminal, { changed: true, path: written });
      terminal.out.write(`saved ${printable(written)}\n`);
    },
    { ignoreBadConfig: true },
  );
}
