import { listDocs, readDocs, searchDocs } from '../../operations/docs.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { integerFrom, json, plainText, single } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, writeJson } from '../terminal.ts';

interface SearchFlags extends OutputFlags {
  topK?: number;
}

export const configureDocs: ConfigureCommand = (docs, terminal) => {
  docs
    .command('list')
    .description('List the pages of the documentation and their sections')
    .addOption(json())
    .addOption(plainText())
    .action((flags: OutputFlags) => list(flags, terminal));
  docs
    .command('read')
    .description('Print a page, or one section of it')
    .argument('<address>', 'e.g. tools/overview.md or tools/overview.md#results')
    .addOption(json())
    .addOption(plainText())
    .action((address: string, flags: OutputFlags) => read(address, flags, terminal));
  docs
    .command('search')
    .description('Find the sections that match some words')
    .argument('<query...>')
    .addOption(single('--top-k <N>', 'at most so many (default: 5)', integerFrom(1)))
    .addOption(json())
    .addOption(plainText())
    .action((query: string[], flags: SearchFlags) => search(query.join(' '), flags, terminal));
};

async function list(flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, listDocs, {}, (pages) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, pages);
    const colors = colorsFor(terminal.out, terminal);
    for (const { path, title, sections } of pages) {
      terminal.out.write(`${colors.bold(path)}  ${title}\n`);
      for (const { address, heading } of sections)
        terminal.out.write(`  ${colors.dim(address.slice(path.length))}  ${heading}\n`);
    }
  });
}

async function read(address: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, readDocs, { address }, (page) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, page);
    terminal.out.write(`${printable(page.text)}\n`);
  });
}

async function search(query: string, { topK, ...flags }: SearchFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, searchDocs, { query, topK }, (hits) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, hits);
    if (hits.length === 0)
      return void terminal.out.write('nothing matches; "lainclaw docs list" shows the pages (in English)\n');
    const colors = colorsFor(terminal.out, terminal);
    for (const { address, title, snippet } of hits)
      terminal.out.write(`${colors.bold(address)}  ${title}\n  ${colors.dim(printable(snippet))}\n`);
  });
}
