import type { Docs } from '../../docs/docs.ts';
import { colorsFor } from '../colors.ts';
import { integerFrom, json, plainText, single } from '../flags.ts';
import type { ConfigureCommand } from '../program.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, writeJson } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';

interface SearchFlags extends OutputFlags {
  topK?: number;
}

export const configureDocs: ConfigureCommand = (docs, terminal) => {
  const withDocs = (use: (docs: Docs) => Promise<void>): Promise<void> =>
    withRuntime(terminal, async (runtime) => use(await runtime.docs()));
  docs
    .command('list')
    .description('every page of the documentation and its sections')
    .addOption(json())
    .addOption(plainText())
    .action((flags: OutputFlags) => withDocs((service) => list(service, flags, terminal)));
  docs
    .command('read')
    .description('a page, or one section of it')
    .argument('<address>', 'e.g. tools/overview.md or tools/overview.md#results')
    .addOption(json())
    .addOption(plainText())
    .action((address: string, flags: OutputFlags) => withDocs((service) => read(address, service, flags, terminal)));
  docs
    .command('search')
    .description('the sections that match some words')
    .argument('<query...>')
    .addOption(single('--top-k <N>', 'at most so many (default: 5)', integerFrom(1)))
    .addOption(json())
    .addOption(plainText())
    .action((query: string[], flags: SearchFlags) =>
      withDocs((service) => search(query.join(' '), service, flags, terminal)),
    );
};

async function list(docs: Docs, flags: OutputFlags, terminal: Terminal): Promise<void> {
  const pages = await docs.list();
  if (wantsJson(terminal, flags)) return writeJson(terminal, pages);
  const colors = colorsFor(terminal.out, terminal);
  for (const { path, title, sections } of pages) {
    terminal.out.write(`${colors.bold(path)}  ${title}\n`);
    for (const { address, heading } of sections)
      terminal.out.write(`  ${colors.dim(address.slice(path.length))}  ${heading}\n`);
  }
}

async function read(address: string, docs: Docs, flags: OutputFlags, terminal: Terminal): Promise<void> {
  const page = await docs.read(address);
  if (wantsJson(terminal, flags)) return writeJson(terminal, page);
  terminal.out.write(`${printable(page.text)}\n`);
}

async function search(query: string, docs: Docs, flags: SearchFlags, terminal: Terminal): Promise<void> {
  const hits = await docs.search(query, { topK: flags.topK });
  if (wantsJson(terminal, flags)) return writeJson(terminal, hits);
  if (hits.length === 0)
    return void terminal.out.write('nothing matches; "lainclaw docs list" shows what there is (in English)\n');
  const colors = colorsFor(terminal.out, terminal);
  for (const { address, title, snippet } of hits)
    terminal.out.write(`${colors.bold(address)}  ${title}\n  ${colors.dim(printable(snippet))}\n`);
}
