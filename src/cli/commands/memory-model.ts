import type { Command } from 'commander';
import { counted } from '../../lib/counted.ts';
import { MODEL_LANGUAGES, type ModelLanguage } from '../../memory/models/model-languages.ts';
import {
  addMemoryModel,
  listMemoryModels,
  listRecommendedModels,
  removeMemoryModel,
  useMemoryModel,
} from '../../operations/memory-models.ts';
import type { OutputOf } from '../../operations/operation.ts';
import { colorsFor } from '../colors.ts';
import { fileSize } from '../file-size.ts';
import { oneOf, single, text } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, writeJson } from '../terminal.ts';

const POOLINGS = ['mean', 'cls', 'max', 'last'] as const;

interface AddFlags extends OutputFlags {
  language?: ModelLanguage;
  name?: string;
  file?: string;
  pooling?: (typeof POOLINGS)[number];
  use?: boolean;
}

interface UseFlags extends OutputFlags {
  later?: boolean;
}

type ListedModel = OutputOf<typeof listMemoryModels>['models'][number];

export interface ModelCommandOptions {
  terminal: Terminal;
  add(parent: Command, name: string, description: string): Command;
}

export function configureModel(model: Command, { terminal, add }: ModelCommandOptions): void {
  add(model, 'add', 'Get the recommended embedding model and use it, or copy another into the home')
    .argument('[source]', 'a folder, a .tar.gz, the https address of either, or npm:<package>')
    .addOption(
      single(
        '--language <language>',
        `the recommended model for ${MODEL_LANGUAGES.join(', ')}`,
        oneOf(MODEL_LANGUAGES),
      ),
    )
    .addOption(single('--pooling <how>', `${POOLINGS.join(', ')}: where its files do not say`, oneOf(POOLINGS)))
    .option('--use', 'use it, and compute the vectors of every memory with it (always done for a recommended one)')
    .option('--no-use', 'only copy it')
    .addOption(single('--name <name>', 'what to call it (default: as the folder)', text))
    .addOption(single('--file <path>', 'which of several .onnx files (onnx/model_quantized.onnx)', text))
    .action((source: string | undefined, flags: AddFlags) => addModel(source, flags, terminal));
  add(model, 'recommended', 'List the recommended models').action((flags: OutputFlags) => recommended(flags, terminal));
  add(model, 'list', 'List the models, and which is in use').action((flags: OutputFlags) => list(flags, terminal));
  add(model, 'use', 'Use a model, and compute the vectors of every memory with it')
    .argument('<name>', 'of a model, or endpoint, or none')
    .option('--later', 'compute the vectors little by little with each use instead of now')
    .action((name: string, flags: UseFlags) => use(name, flags, terminal));
  add(model, 'remove', 'Delete a model from the home')
    .argument('<name>')
    .action((name: string, flags: OutputFlags) => remove(name, flags, terminal));
}

async function use(name: string, { later, ...flags }: UseFlags, terminal: Terminal): Promise<void> {
  const show = (used: OutputOf<typeof useMemoryModel>): void => {
    if (wantsJson(terminal, flags)) return void writeJson(terminal, used);
    const embedded = used.total === undefined ? '' : `: ${used.done} of ${counted(used.total, 'chunk')} with a vector`;
    terminal.out.write(`in use: ${name}${embedded}\n`);
  };
  await runOperation(terminal, useMemoryModel, { name, later }, show, { counting: 'embedded' });
}

async function remove(name: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, removeMemoryModel, { name }, (done) => {
    if (wantsJson(terminal, flags)) writeJson(terminal, done);
    else terminal.out.write(`removed: ${name}\n`);
  });
}

async function addModel(source: string | undefined, given: AddFlags, terminal: Terminal): Promise<void> {
  const { language, name, file, pooling, use: isUsed, ...flags } = given;
  const onFile = ({ path, bytes }: { path: string; bytes: number }): void => {
    if (terminal.err.isTTY) terminal.err.write(`\r\u001b[K${path} (${fileSize(bytes)})\n`);
  };
  const show = (added: OutputOf<typeof addMemoryModel>): void => {
    if (wantsJson(terminal, flags)) return void writeJson(terminal, added);
    const size = fileSize(added.files.reduce((sum, { bytes }) => sum + bytes, 0));
    const next =
      added.use === undefined
        ? `"lainclaw memory model use ${added.name}" puts it to use`
        : `in use: ${added.done} of ${counted(added.total ?? 0, 'chunk')} with a vector`;
    terminal.out.write(`added: ${added.name} (${added.dimension} dimensions, ${size}); ${next}\n`);
  };
  const input = { source, language, name, file, pooling, use: isUsed };
  await runOperation(terminal, addMemoryModel, input, show, { onFile, counting: 'embedded' });
}

async function recommended(flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, listRecommendedModels, {}, (models) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, models);
    for (const { language, name, source, megabytes, licence } of models)
      terminal.out.write(`${language.padEnd(12)}  ${name}, ${megabytes} MB, ${licence}: ${source}\n`);
  });
}

async function list(flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, listMemoryModels, {}, ({ use: chosen, models }) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, { use: chosen, models });
    if (models.length === 0)
      return void terminal.out.write('no model yet: "lainclaw memory model add" gets the recommended one\n');
    for (const model of models) terminal.out.write(`${rendered(model, terminal)}\n`);
  });
}

function rendered(model: ListedModel, terminal: Terminal): string {
  const colors = colorsFor(terminal.out, terminal);
  const name = `${model.inUse ? '* ' : '  '}${colors.bold(printable(model.name))}`;
  if (!model.ok) return `${name}  ${colors.yellow(printable(model.reason))}`;
  const size = fileSize(model.files.reduce((sum, { bytes }) => sum + bytes, 0));
  return `${name}  ${model.dimension} dimensions, ${size}, ${colors.dim(printable(model.from))}`;
}
