import { resolve } from 'node:path';
import type { Command } from 'commander';
import { counted } from '../../lib/counted.ts';
import { CORE_SECTIONS, type CoreSection } from '../../memory/core-memory.ts';
import { deleteCoreFact, getCoreMemory, setCoreFact } from '../../operations/core-memory.ts';
import {
  embedNotes,
  importFolder,
  listNotes,
  reindexMemory,
  saveNote,
  searchMemory,
  settleMemory,
} from '../../operations/memory.ts';
import type { OutputOf } from '../../operations/operation.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { integerFrom, oneOf, single, text, withOutput } from '../flags.ts';
import { COUNT_INDEXED, runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, warn, writeJson } from '../terminal.ts';
import { configureFacts } from './memory-facts.ts';
import { type ForgetFlags, forget } from './memory-forget.ts';
import { configureModel } from './memory-model.ts';
import { configureOverview } from './memory-overview.ts';

/** How many are listed when nobody says. */
const LISTED = 50;

interface ScopeFlags extends OutputFlags {
  scope?: string;
}

/** "project" is the one of this folder. */
const scoped = (command: Command): Command =>
  command.addOption(single('--scope <whose>', 'owner, person:<chat>, chat:<chat>, project or project:<folder>', text));

type FoundNote = OutputOf<typeof searchMemory>['results'][number];

interface SaveFlags extends ScopeFlags {
  source?: string;
  title?: string;
  date?: string;
  supersedes?: string;
}

interface SearchFlags extends ScopeFlags {
  topK?: number;
  budget?: number;
  fusion?: 'convex' | 'reciprocal';
  since?: string;
  until?: string;
}

interface ListFlags extends ScopeFlags {
  limit?: number;
  source?: string;
}

interface ImportFlags extends ScopeFlags {
  forgetGone?: boolean;
}

interface EmbedFlags extends OutputFlags {
  all?: boolean;
}

export const configureMemory: ConfigureCommand = (memory, terminal) => {
  const add = (parent: Command, name: string, description: string): Command =>
    withOutput(parent.command(name).description(description));
  scoped(add(memory, 'save', 'Save a text; "-" reads standard input'))
    .argument('<text>')
    .addOption(single('--source <name>', 'where it comes from (default: manual)', text))
    .addOption(single('--title <title>', 'a title', text))
    .addOption(single('--date <date>', 'when it was said or written: 2026-12-31 (default: now)', text))
    .addOption(single('--supersedes <id>', 'the memory this one replaces', text))
    .action((content: string, flags: SaveFlags) => save(content, flags, terminal));
  scoped(add(memory, 'search', 'Find what was saved'))
    .argument('<query>')
    .addOption(single('--top-k <N>', 'at most N results (default: 10)', integerFrom(1)))
    .addOption(single('--budget <tokens>', 'all results together (default: 2500)', integerFrom(1)))
    .addOption(single('--since <when>', 'only from then on: 2026-12-31, "last week", 上周, "в марте"', text))
    .addOption(single('--until <when>', 'only until then, the day included', text))
    .addOption(single('--fusion <how>', 'convex or reciprocal (default: convex)', oneOf(['convex', 'reciprocal'])))
    .action((query: string, flags: SearchFlags) => search(query, flags, terminal));
  scoped(add(memory, 'list', 'List what was saved, the newest first'))
    .addOption(single('--limit <N>', `at most N (default: ${LISTED})`, integerFrom(1)))
    .addOption(single('--source <name>', 'only of this source', text))
    .action((flags: ListFlags) => list(flags, terminal));
  scoped(add(memory, 'forget', 'Remove for good: text, index and vectors'))
    .argument('[id]')
    .addOption(single('--source <name>', 'everything of this source', text))
    .addOption(single('--everywhere <text>', 'this text wherever it is kept, after showing where that is', text))
    .option('--conversations', 'with --everywhere: delete the conversations that hold it, instead of the text in them')
    .option('--yes', 'with --everywhere: do not ask')
    .action((id: string | undefined, flags: ForgetFlags) =>
      forget(id, { ...flags, scope: scopeIn(flags, terminal) }, terminal),
    );
  add(memory, 'reindex', 'Build the search index again').action((flags: OutputFlags) => reindex(flags, terminal));
  scoped(add(memory, 'import', 'Save every Markdown file and document (PDF, Office, …) under a folder'))
    .argument('<folder>')
    .option('--forget-gone', 'also forget what came from files that are no longer there')
    .action((folder: string, flags: ImportFlags) => importFiles(folder, flags, terminal));
  add(memory, 'embed', 'Compute the vectors of memories that have none')
    .option('--all', 'compute all of them again, because another model has the same name')
    .action((flags: EmbedFlags) => embed(flags, terminal));
  configureOverview(memory, { terminal, scoped, add: (name, description) => add(memory, name, description) });
  configureFacts({ terminal, scoped, add: (name, description) => add(memory, name, description) });
  configureModel(memory.command('model').description('Manage embedding models on this machine'), {
    terminal,
    add,
  });
  configureCore(memory.command('core').description('Manage the facts that are always in context'));

  function configureCore(core: Command): void {
    const section = (value: string): CoreSection => sectionOf(value);
    scoped(add(core, 'get', 'Show all of them')).action((flags: ScopeFlags) => coreGet(flags, terminal));
    scoped(add(core, 'set', 'Set a fact'))
      .argument('<section>', CORE_SECTIONS.join(' or '))
      .argument('<key>')
      .argument('<value>')
      .action((name: string, key: string, value: string, flags: ScopeFlags) =>
        runOperation(
          terminal,
          setCoreFact,
          { section: section(name), key, value, scope: scopeIn(flags, terminal) },
          (fact) => done(fact, 'set', flags, terminal),
        ),
      );
    scoped(add(core, 'delete', 'Delete a fact'))
      .argument('<section>', CORE_SECTIONS.join(' or '))
      .argument('<key>')
      .action((name: string, key: string, flags: ScopeFlags) =>
        runOperation(
          terminal,
          deleteCoreFact,
          { section: section(name), key, scope: scopeIn(flags, terminal) },
          (fact) => done(fact, 'deleted', flags, terminal),
        ),
      );
  }
};

async function save(given: string, flags: SaveFlags, terminal: Terminal): Promise<void> {
  const content = given === '-' ? await standardInput(terminal) : given;
  const { source, title, date, supersedes } = flags;
  const scope = scopeIn(flags, terminal);
  await runOperation(
    terminal,
    saveNote,
    { content, source, title, date, supersedes, scope },
    async (saved, context) => {
      if (wantsJson(terminal, flags)) writeJson(terminal, saved);
      else terminal.out.write(`${saved.added ? 'saved as' : 'already there as'} ${saved.id}\n`);
      await settleMemory(context);
    },
  );
}

async function standardInput(terminal: Terminal): Promise<string> {
  const { readStandardInputUnharmed } = await import('../standard-input.ts');
  return readStandardInputUnharmed(terminal);
}

async function search(
  query: string,
  { topK, budget, fusion, since, until, ...flags }: SearchFlags,
  terminal: Terminal,
): Promise<void> {
  const scope = scopeIn(flags, terminal);
  await runOperation(
    terminal,
    searchMemory,
    { query, topK, budget, fusion, since, until, scope },
    async (found, context) => {
      if (wantsJson(terminal, flags)) writeJson(terminal, found);
      else printFound(found, terminal);
      await settleMemory(context);
    },
    COUNT_INDEXED,
  );
}

function printFound(found: OutputOf<typeof searchMemory>, terminal: Terminal): void {
  if (found.note) warn(terminal, found.note);
  if (found.results.length === 0) return void terminal.out.write('nothing found\n');
  for (const result of found.results) terminal.out.write(`${renderFound(result, terminal)}\n\n`);
  if (found.leftOut > 0) warn(terminal, `${found.leftOut} more did not fit the budget: raise --budget`);
}

function renderFound(
  {
    id,
    scope,
    source,
    date,
    about,
    score,
    why,
    speaker,
    context,
    text: body,
    supersededBy,
    kind,
    validUntil,
  }: FoundNote,
  terminal: Terminal,
): string {
  const colors = colorsFor(terminal.out, terminal);
  const named = about && `about ${about.join(', ')}`;
  const facts = [notOwners(scope), kind ?? source, date.slice(0, 10), named, speaker, context]
    .filter((fact) => fact !== undefined)
    .join(' · ');
  const reasons = [...why.terms, ...(why.vector === undefined ? [] : [`meaning ${why.vector}`])].join(', ');
  const until = validUntil === undefined ? '' : ` on ${validUntil.slice(0, 10)}`;
  const replaced = supersededBy ? `\n${colors.yellow(`replaced by ${supersededBy}${until}`)}` : '';
  return `${colors.bold(id)} ${printable(facts)} ${colors.dim(`score ${score}${reasons === '' ? '' : ` (${printable(reasons)})`}`)}${replaced}\n${printable(body)}`;
}

async function list({ limit = LISTED, source, ...flags }: ListFlags, terminal: Terminal): Promise<void> {
  const scope = scopeIn(flags, terminal);
  await runOperation(terminal, listNotes, { limit, source, scope }, (notes) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, notes);
    if (notes.length === 0) return void terminal.out.write('nothing saved yet: lainclaw memory save "…" does\n');
    const colors = colorsFor(terminal.out, terminal);
    if (notes.length === limit) warn(terminal, `the newest ${notes.length}: --limit shows more`);
    for (const { id, scope: of, source: from, date, head, title, kind } of notes) {
      const origin = [notOwners(of), from].filter((fact) => fact !== undefined).join(' · ');
      // The title of a fact is its topic.
      const line = printable(kind === undefined ? (title ?? head) : head)
        .replace(/\s+/g, ' ')
        .slice(0, 80);
      terminal.out.write(`${colors.bold(id)}  ${date.slice(0, 10)}  ${colors.dim(printable(origin))}  ${line}\n`);
    }
  });
}

async function reindex(flags: OutputFlags, terminal: Terminal): Promise<void> {
  const show = ({ chunks }: { chunks: number }): void => {
    if (wantsJson(terminal, flags)) writeJson(terminal, { chunks });
    else terminal.out.write(`${counted(chunks, 'chunk')} indexed\n`);
  };
  await runOperation(terminal, reindexMemory, {}, show, { counting: 'indexed' });
}

async function importFiles(folder: string, flags: ImportFlags, terminal: Terminal): Promise<void> {
  const input = {
    folder: resolve(terminal.environment.cwd, folder),
    forgetGone: flags.forgetGone,
    scope: scopeIn(flags, terminal),
  };
  await runOperation(terminal, importFolder, input, async (report, context) => {
    if (wantsJson(terminal, flags)) writeJson(terminal, report);
    else printReport(report, terminal);
    await settleMemory(context);
  });
}

function printReport(report: OutputOf<typeof importFolder>, terminal: Terminal): void {
  for (const { path, reason } of report.skipped) warn(terminal, `skipped ${path}: ${reason}`);
  const { files, added, changed, unchanged, moved, gone, forgotten } = report;
  const rest = [
    ...(moved > 0 ? [`${moved} moved`] : []),
    ...(forgotten > 0 ? [`${forgotten} gone and forgotten`] : []),
  ];
  const counts = [`${added - moved} new`, `${changed} changed`, `${unchanged} as before`, ...rest];
  terminal.out.write(`${counted(files, 'file')}: ${counts.join(', ')}\n`);
  for (const path of gone) warn(terminal, `gone and still remembered: ${path}`);
  if (gone.length > 0)
    warn(terminal, '--forget-gone forgets what came from files that are gone, unless their folder is there and empty');
}

async function embed({ all, ...flags }: EmbedFlags, terminal: Terminal): Promise<void> {
  const show = (result: { done: number; total: number }): void => {
    if (wantsJson(terminal, flags)) writeJson(terminal, result);
    else terminal.out.write(`${result.done} of ${counted(result.total, 'chunk')} with a vector\n`);
  };
  await runOperation(terminal, embedNotes, { all }, show, { counting: 'embedded' });
}

async function coreGet(flags: ScopeFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, getCoreMemory, { scope: scopeIn(flags, terminal) }, (facts) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, facts);
    const lines = CORE_SECTIONS.flatMap((section) =>
      Object.entries(facts[section]).map(([key, value]) => `${section}.${key}: ${value}`),
    );
    terminal.out.write(lines.length > 0 ? `${printable(lines.join('\n'))}\n` : 'core memory is empty\n');
  });
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

function scopeIn({ scope }: ScopeFlags, { environment }: Terminal): string | undefined {
  return scope === 'project' ? `project:${environment.cwd}` : scope;
}

/** What is the owner's needs no word. */
function notOwners(scope: string): string | undefined {
  return scope === 'owner' ? undefined : scope;
}

function sectionOf(value: string): CoreSection {
  if (CORE_SECTIONS.includes(value as CoreSection)) return value as CoreSection;
  throw new UsageError(`"${value}" is not a section of core memory; accepted: ${CORE_SECTIONS.join(', ')}`);
}
