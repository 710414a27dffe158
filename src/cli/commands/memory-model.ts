import type { Command } from 'commander';
import type { ListedModel } from '../../memory/models/model-store.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { colorsFor } from '../colors.ts';
import { single, text } from '../flags.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../terminal.ts';

interface AddFlags extends OutputFlags {
  name?: string;
  file?: string;
}

interface UseFlags extends OutputFlags {
  later?: boolean;
}

export interface ModelCommandOptions {
  terminal: Terminal;
  add(parent: Command, name: string, description: string): Command;
  run(use: (runtime: Runtime) => Promise<void>): Promise<void>;
  /** Embeds everything, showing how far it is. */
  embed(runtime: Runtime): Promise<{ done: number; total: number }>;
}

export function configureModel(model: Command, { terminal, add, run, embed }: ModelCommandOptions): void {
  add(model, 'add', 'copy an embedding model into the home')
    .argument('<source>', 'a folder, a .tar.gz, or the https address of either')
    .addOption(single('--name <name>', 'what to call it (default: as the folder)', text))
    .addOption(single('--file <path>', 'which of several .onnx files (onnx/model_quantized.onnx)', text))
    .action((source: string, flags: AddFlags) => run((runtime) => addModel(runtime, source, flags, terminal)));
  add(model, 'list', 'the models there are, and which is in use').action((flags: OutputFlags) =>
    run((runtime) => list(runtime, flags, terminal)),
  );
  add(model, 'use', 'choose a model, and give everything its vectors')
    .argument('<name>', 'of a model, or endpoint, or none')
    .option('--later', 'embed little by little with each use instead of now')
    .action((name: string, flags: UseFlags) =>
      run(async (runtime) => {
        await (await runtime.memoryModels()).use(name);
        const progress = name === 'none' || flags.later ? undefined : await embed(runtime).catch(said(terminal));
        if (wantsJson(terminal, flags)) return writeJson(terminal, { use: name, ...progress });
        const embedded = progress ? `: ${progress.done} of ${progress.total} chunks have a vector` : '';
        terminal.out.write(`in use: ${name}${embedded}\n`);
      }),
    );
  add(model, 'remove', 'delete a model from the home')
    .argument('<name>')
    .action((name: string, flags: OutputFlags) =>
      run(async (runtime) => {
        await (await runtime.memoryModels()).remove(name);
        if (wantsJson(terminal, flags)) writeJson(terminal, { removed: name });
        else terminal.out.write(`removed: ${name}\n`);
      }),
    );
}

/** The choice holds: what was embedded is kept, and the rest follows with each use. */
function said(terminal: Terminal): (error: unknown) => never {
  return (error) => {
    if (terminal.signal.aborted) warn(terminal, 'stopped: the model is in use, and the rest is embedded with each use');
    throw error;
  };
}

async function addModel(runtime: Runtime, source: string, flags: AddFlags, terminal: Terminal): Promise<void> {
  const { name, file } = flags;
  const onFile = ({ path, bytes }: { path: string; bytes: number }): void => {
    if (terminal.err.isTTY) terminal.err.write(`${path} (${megabytes(bytes)})\n`);
  };
  const added = await (await runtime.memoryModels()).add(source, { name, file, signal: terminal.signal, onFile });
  if (wantsJson(terminal, flags)) return writeJson(terminal, added);
  const size = megabytes(added.files.reduce((sum, { bytes }) => sum + bytes, 0));
  terminal.out.write(
    `added: ${added.name} (${added.dimension} dimensions, ${size}); "lainclaw memory model use ${added.name}" puts it to use\n`,
  );
}

async function list(runtime: Runtime, flags: OutputFlags, terminal: Terminal): Promise<void> {
  const models = await runtime.memoryModels();
  const [all, chosen] = await Promise.all([models.list(), models.chosen()]);
  const rows = all.map((model) => ({ ...model, inUse: model.name === chosen }));
  if (wantsJson(terminal, flags)) return writeJson(terminal, { use: chosen ?? null, models: rows });
  if (rows.length === 0)
    return void terminal.out.write('no model yet: lainclaw memory model add <folder or address>\n');
  for (const row of rows) terminal.out.write(`${rendered(row, terminal)}\n`);
}

function rendered(model: ListedModel & { inUse: boolean }, terminal: Terminal): string {
  const colors = colorsFor(terminal.out, terminal);
  const name = `${model.inUse ? '* ' : '  '}${colors.bold(printable(model.name))}`;
  if (!model.ok) return `${name}  ${colors.yellow(printable(model.reason))}`;
  const size = megabytes(model.files.reduce((sum, { bytes }) => sum + bytes, 0));
  return `${name}  ${model.dimension} dimensions, ${size}, ${colors.dim(printable(model.from))}`;
}

function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
