import type { Command } from 'commander';
import { CORE_SECTIONS, type CoreSection } from '../../memory/core-memory.ts';
import type { ImportReport } from '../../memory/import-folder.ts';
import type { Found, SearchResult } from '../../memory/search.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { colorsFor } from '../colors.ts';
import { integerFrom, oneOf, single, text, withOutput } from '../flags.ts';
import type { ConfigureCommand } from '../program.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, warn, writeJson } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';
import { configureModel } from './memory-model.ts';

/** What a command spends on vectors that are missing, after it has said what it has to say. */
const SETTLE_MS = 2_000;

/** How many are listed when nobody says. */
const LISTED = 50;

interface SaveFlags extends OutputFlags {
  source?: string;
  title?: string;
  date?: string;
  supersedes?: string;
}

interface SearchFlags extends OutputFlags {
  topK?: number;
  budget?: number;
  fusion?: 'convex' | 'reciprocal';
}

interface ListFlags extends OutputFlags {
  limit?: number;
  source?: string;
}

interface ForgetFlags extends OutputFlags {
  source?: string;
}

interface ImportFlags extends OutputFlags {
  forgetGone?: boolean;
}

interface EmbedFlags extends OutputFlags {
  anew?: boolean;
}

type Run<Flags> = (runtime: Runtime, flags: Flags) => Promise<void>;

export const configureMemory: ConfigureCommand = (memory, terminal) => {
  const add = (parent: Command, name: string, description: string): Command =>
    withOutput(parent.command(name).description(description));
  const run = <Flags extends OutputFlags>(flags: Flags, action: Run<Flags>): Promise<void> =>
    withRuntime(terminal, (runtime) => action(runtime, flags));

  add(memory, 'save', 'save a text; "-" reads standard input')
    .argument('<text>')
    .addOption(single('--source <name>', 'where it comes from (default: manual)', text))
    .addOption(single('--title <title>', 'a title', text))
    .addOption(single('--date <date>', 'when it was said or written: 2026-12-31 (default: now)', text))
    .addOption(single('--supersedes <id>', 'the memory this one replaces', text))
    .action((content: string, flags: SaveFlags) => run(flags, (runtime) => save(runtime, content, flags, terminal)));
  add(memory, 'search', 'find what was saved')
    .argument('<query>')
    .addOption(single('--top-k <N>', 'at most N results (default: 10)', integerFrom(1)))
    .addOption(single('--budget <tokens>', 'all results together (default: 2500)', integerFrom(1)))
    .addOption(single('--fusion <how>', 'convex or reciprocal (default: convex)', oneOf(['convex', 'reciprocal'])))
    .action((query: string, flags: SearchFlags) => run(flags, (runtime) => search(runtime, query, flags, terminal)));
  add(memory, 'list', 'what was saved, the newest first')
    .addOption(single('--limit <N>', `at most N (default: ${LISTED})`, integerFrom(1)))
    .addOption(single('--source <name>', 'only of this source', text))
    .action((flags: ListFlags) => run(flags, (runtime) => list(runtime, flags, terminal)));
  add(memory, 'forget', 'remove for good: text, index and vectors')
    .argument('[id]')
    .addOption(single('--source <name>', 'everything of this source', text))
    .action((id: string | undefined, flags: ForgetFlags) =>
      run(flags, (runtime) => forget(runtime, id, flags, terminal)),
    );
  add(memory, 'reindex', 'build the search index anew').action((flags: OutputFlags) =>
    run(flags, (runtime) => reindex(runtime, flags, terminal)),
  );
  add(memory, 'import', 'save every Markdown file under a folder')
    .argument('<folder>')
    .option('--forget-gone', 'also forget what came from files that are no longer there')
    .action((folder: string, flags: ImportFlags) =>
      run(flags, (runtime) => importFolder(runtime, folder, flags, terminal)),
    );
  add(memory, 'embed', 'give vectors to what has none yet')
    .option('--anew', 'to everything, because the model is another one under its old name')
    .action((flags: EmbedFlags) => run(flags, (runtime) => embed(runtime, flags, terminal)));
  configureModel(memory.command('model').description('embedding models on this machine'), {
    terminal,
    add,
    run: (use) => withRuntime(terminal, use),
    embed: (runtime) => embedAll(runtime, terminal),
  });
  configureCore(memory.command('core').description('the facts that are always in context'));

  function configureCore(core: Command): void {
    const section = (value: string): CoreSection => sectionOf(value);
    add(core, 'get', 'all of them').action((flags: OutputFlags) =>
      run(flags, (runtime) => coreGet(runtime, flags, terminal)),
    );
    add(core, 'set', 'set a fact')
      .argument('<section>', CORE_SECTIONS.join(' or '))
      .argument('<key>')
      .argument('<value>')
      .action((name: string, key: string, value: string, flags: OutputFlags) =>
        run(flags, async (runtime) =>
          done(
            {
              section: section(name),
              key,
              value,
              ...(await (await runtime.coreMemory()).update(section(name), key, value)),
            },
            'set',
            flags,
            terminal,
          ),
        ),
      );
    add(core, 'delete', 'delete a fact')
      .argument('<section>', CORE_SECTIONS.join(' or '))
      .argument('<key>')
      .action((name: string, key: string, flags: OutputFlags) =>
        run(flags, async (runtime) =>
          done(
            { section: section(name), key, ...(await (await runtime.coreMemory()).delete(section(name), key)) },
            'deleted',
            flags,
            terminal,
          ),
        ),
      );
  }
};

async function save(runtime: Runtime, given: string, flags: SaveFlags, terminal: Terminal): Promise<void> {
  const content = given === '-' ? await standardInput(terminal) : given;
  const { source, title, date, supersedes } = flags;
  const memory = await runtime.memory();
  const saved = await memory.save({ content, source, title, date, supersedes });
  if (wantsJson(terminal, flags)) writeJson(terminal, saved);
  else terminal.out.write(`${saved.added ? 'saved as' : 'already there as'} ${saved.id}\n`);
  await memory.settle({ milliseconds: SETTLE_MS, signal: terminal.signal });
}

async function standardInput(terminal: Terminal): Promise<string> {
  const { readStandardInputUnharmed } = await import('../standard-input.ts');
  return readStandardInputUnharmed(terminal);
}

async function search(runtime: Runtime, query: string, flags: SearchFlags, terminal: Terminal): Promise<void> {
  const { topK, budget, fusion } = flags;
  const memory = await runtime.memory();
  const found = await memory.search(query, { topK, budget, fusion, signal: terminal.signal });
  if (wantsJson(terminal, flags)) writeJson(terminal, found);
  else printFound(found, terminal);
  await memory.settle({ milliseconds: SETTLE_MS, signal: terminal.signal });
}

function printFound(found: SearchResult, terminal: Terminal): void {
  if (found.note) warn(terminal, found.note);
  if (found.results.length === 0) return void terminal.out.write('nothing found\n');
  for (const result of found.results) terminal.out.write(`${renderFound(result, terminal)}\n\n`);
  if (found.leftOut > 0) warn(terminal, `${found.leftOut} more did not fit the budget: raise --budget`);
}

function renderFound(
  { id, source, date, score, why, speaker, context, text: body, supersededBy }: Found,
  terminal: Terminal,
): string {
  const colors = colorsFor(terminal.out, terminal);
  const facts = [source, date.slice(0, 10), speaker, context].filter((fact) => fact !== undefined).join(' · ');
  const reasons = [...why.terms, ...(why.vector === undefined ? [] : [`meaning ${why.vector}`])].join(', ');
  const replaced = supersededBy ? `\n${colors.yellow(`replaced by ${supersededBy}`)}` : '';
  return `${colors.bold(id)} ${printable(facts)} ${colors.dim(`score ${score} (${printable(reasons)})`)}${replaced}\n${printable(body)}`;
}

async function list(runtime: Runtime, { limit, source, ...flags }: ListFlags, terminal: Terminal): Promise<void> {
  const documents = await (await runtime.memory()).list({ limit: limit ?? LISTED, source });
  if (wantsJson(terminal, flags)) return writeJson(terminal, documents);
  if (documents.length === 0) return void terminal.out.write('nothing saved yet: lainclaw memory save "…" does\n');
  const colors = colorsFor(terminal.out, terminal);
  if (documents.length === (limit ?? LISTED)) warn(terminal, `the newest ${documents.length}: --limit shows more`);
  for (const { id, source: from, date, head, title } of documents) {
    const line = printable(title ?? head)
      .replace(/\s+/g, ' ')
      .slice(0, 80);
    terminal.out.write(`${colors.bold(id)}  ${date.slice(0, 10)}  ${colors.dim(printable(from))}  ${line}\n`);
  }
}

async function forget(runtime: Runtime, id: string | undefined, flags: ForgetFlags, terminal: Terminal): Promise<void> {
  if ((id === undefined) === (flags.source === undefined))
    throw new UsageError('give either the id of one memory or --source for everything of a source');
  const memory = await runtime.memory();
  if (id !== undefined) await memory.forget(id);
  const forgotten = flags.source === undefined ? 1 : await memory.forgetSource(flags.source);
  if (wantsJson(terminal, flags)) return writeJson(terminal, { forgotten });
  terminal.out.write(`${forgotten} forgotten\n`);
}

async function reindex(runtime: Runtime, flags: OutputFlags, terminal: Terminal): Promise<void> {
  const onProgress = progressOn(terminal, 'indexed');
  const result = await (await runtime.memory()).reindex({ signal: terminal.signal, onProgress });
  if (wantsJson(terminal, flags)) return writeJson(terminal, result);
  terminal.out.write(`${result.chunks} chunks indexed\n`);
}

async function importFolder(runtime: Runtime, folder: string, flags: ImportFlags, terminal: Terminal): Promise<void> {
  const memory = await runtime.memory();
  const report = await memory.importFolder(folder, { forgetGone: flags.forgetGone, signal: terminal.signal });
  if (wantsJson(terminal, flags)) writeJson(terminal, report);
  else printReport(report, terminal);
  await memory.settle({ milliseconds: SETTLE_MS, signal: terminal.signal });
}

function printReport(report: ImportReport, terminal: Terminal): void {
  for (const { path, reason } of report.skipped) warn(terminal, `skipped ${path}: ${reason}`);
  const { files, added, changed, unchanged, moved, gone, forgotten } = report;
  const rest = [
    ...(moved > 0 ? [`${moved} moved`] : []),
    ...(forgotten > 0 ? [`${forgotten} gone and forgotten`] : []),
  ];
  const counts = [`${added - moved} new`, `${changed} changed`, `${unchanged} as before`, ...rest];
  terminal.out.write(`${files} files: ${counts.join(', ')}\n`);
  for (const path of gone) warn(terminal, `gone and still remembered: ${path}`);
  if (gone.length > 0)
    warn(terminal, '--forget-gone forgets what came from files that are gone, unless their folder is there and empty');
}

async function embed(runtime: Runtime, flags: EmbedFlags, terminal: Terminal): Promise<void> {
  const result = await embedAll(runtime, terminal, flags);
  if (wantsJson(terminal, flags)) return writeJson(terminal, result);
  terminal.out.write(`${result.done} of ${result.total} chunks have a vector\n`);
}

async function embedAll(
  runtime: Runtime,
  terminal: Terminal,
  { anew }: { anew?: boolean } = {},
): Promise<{ done: number; total: number }> {
  return (await runtime.memory()).embed({
    anew,
    signal: terminal.signal,
    onProgress: progressOn(terminal, 'embedded'),
  });
}

async function coreGet(runtime: Runtime, flags: OutputFlags, terminal: Terminal): Promise<void> {
  const facts = await (await runtime.coreMemory()).get();
  if (wantsJson(terminal, flags)) return writeJson(terminal, facts);
  const lines = CORE_SECTIONS.flatMap((section) =>
    Object.entries(facts[section]).map(([key, value]) => `${section}.${key}: ${value}`),
  );
  terminal.out.write(lines.length > 0 ? `${printable(lines.join('\n'))}\n` : 'core memory is empty\n');
}

function done(
  result: { section: string; key: string; value?: string; previous?: string },
  what: string,
  flags: OutputFlags,
  terminal: Terminal,
): void {
  if (wantsJson(terminal, flags)) writeJson(terminal, result);
  else terminal.out.write(`${what}: ${result.section}.${printable(result.key)}\n`);
}

function progressOn(
  { err }: Terminal,
  what: string,
): ((progress: { done: number; total: number }) => void) | undefined {
  if (!err.isTTY) return undefined;
  return ({ done: count, total }) => err.write(`\r${count}/${total} ${what}${count >= total ? '\n' : ''}`);
}

function sectionOf(value: string): CoreSection {
  if (CORE_SECTIONS.includes(value as CoreSection)) return value as CoreSection;
  throw new UsageError(`"${value}" is no section of core memory; accepted: ${CORE_SECTIONS.join(', ')}`);
}
