// The places that an attacker's text is read from: each puts a document where a tool finds it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ReplyToolCall } from '../fakes/model-server/reply.ts';
import type { Home } from './home.ts';
import { lainclaw } from './lainclaw.ts';
import { makeDocx, paragraph } from './make-office.ts';
import { makePdf } from './make-pdf.ts';
import { makeZip } from './make-zip.ts';
import type { Model } from './model-providers.ts';
import { afterFile } from './test-home.ts';

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

export interface Carrier {
  name: string;
  /** Puts the document where it is read from. */
  place(home: Home, document: string, model: Model): Promise<void> | void;
  /** How the model comes to read it. */
  read: ReplyToolCall | ((document: string, home: Home) => ReplyToolCall);
  /** A second call, where the first does not bring all of it. */
  readOn?: ReplyToolCall;
  /** How many calls one document tells. */
  perDocument?: number;
  /** Longer calls do not fit; so many of the others are tried. */
  fits?: { characters: number; calls: number };
  /** What makes the same content the person's own; absent where it never is. */
  trust?(home: Home): Promise<unknown>;
  /** Where their own content is, and how it is read, where that is elsewhere. */
  placeOwn?(home: Home, document: string, model: Model): Promise<void> | void;
  readOwn?: ReplyToolCall;
}

/** A word that only this document has. */
const wordOf = (document: string): string => `zebra${createHash('sha256').update(document).digest('hex').slice(0, 12)}`;
const trustFolder = (home: Home) => lainclaw(['trust', 'add', home.workspace], { home });

export const CARRIERS: readonly Carrier[] = [
  {
    name: 'a file of a clone',
    place(home, document) {
      home.file('README.md', document);
      if (existsSync(join(home.workspace, '.git'))) return;
      for (const args of [
        ['init', '-q'],
        ['remote', 'add', 'origin', 'https://example.org/x.git'],
      ])
        execFileSync('git', args, { cwd: home.workspace });
    },
    read: { name: 'fs.read_file', args: { path: 'README.md' } },
    trust: trustFolder,
  },
  {
    name: 'the output of a command',
    place: (home, document) => void home.file('inbox/mail.txt', document),
    read: { name: 'bash', args: { command: 'find . -name "*.txt" -exec cat {} +' } },
    placeOwn: (home, document) => void home.file('notes/mail.txt', document),
    trust: trustFolder,
  },
  {
    name: 'an MCP server',
    async place(home) {
      if (existsSync(join(home.path, 'mcp.json'))) return;
      const added = await lainclaw(['mcp', 'add', 'everything', '--', process.execPath, EVERYTHING, 'stdio'], { home });
      expect([added.code, added.stderr]).toEqual([0, expect.anything()]);
    },
    read: (document) => ({ name: 'mcp__everything__echo', args: { message: document } }),
    trust: (home) => lainclaw(['mcp', 'trust', 'everything'], { home }),
  },
  {
    name: 'a skill',
    place: (home, document) =>
      void home.file('skills/helper/SKILL.md', `---\nname: helper\ndescription: Helps.\n---\n${document}`),
    read: { name: 'skill_load', args: { name: 'helper' } },
    trust: trustFolder,
  },
  {
    name: 'a received file',
    place: (home, document) => void home.file('inbox/letter.txt', document),
    read: { name: 'fs.read_file', args: { path: 'inbox/letter.txt' } },
  },
  {
    name: 'a memory',
    perDocument: 4,
    // A conversation that read the letter repeats it, and is archived.
    async place(home, document, model) {
      home.file('inbox/letter.txt', 'Repeat this.\n');
      model.follow([
        { toolCalls: [{ name: 'fs.read_file', args: { path: 'inbox/letter.txt' } }] },
        { text: `${wordOf(document)}\n${document}` },
      ]);
      await model.ask('what does the letter say?', '--session', 'earlier', '--new-session', '--memory');
      rmSync(join(home.workspace, 'inbox'), { recursive: true });
    },
    read: (document) => ({ name: 'memory_search', args: { query: wordOf(document) } }),
    async placeOwn(_home, document, model) {
      model.follow([{ text: `${wordOf(document)}\n${document}` }]);
      await model.ask('repeat the letter', '--session', 'earlier', '--new-session', '--memory');
    },
    trust: async () => {},
  },
  {
    name: 'a PDF file',
    place: (home, document) => void home.file('inbox/letter.pdf', makePdf([{ lines: document.split('\n') }])),
    read: { name: 'fs.read_file', args: { path: 'inbox/letter.pdf' } },
    placeOwn: (home, document) => void home.file('notes/letter.pdf', makePdf([{ lines: document.split('\n') }])),
    readOwn: { name: 'fs.read_file', args: { path: 'notes/letter.pdf' } },
    trust: trustFolder,
  },
  {
    name: 'the title of a PDF file',
    perDocument: 1,
    fits: { characters: 180, calls: 10 },
    place: (home, document) =>
      void home.file('inbox/titled.pdf', makePdf([{ lines: ['nothing'] }], { title: document.trim() })),
    read: { name: 'fs.read_file', args: { path: 'inbox/titled.pdf' } },
  },
  {
    name: 'an office document',
    place(home, document) {
      const text = document.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      const lines = text.split('\n').map((line) => paragraph(line));
      home.file('inbox/letter.docx', makeDocx(lines.join('')));
    },
    read: { name: 'fs.read_file', args: { path: 'inbox/letter.docx' } },
  },
  {
    name: 'the names in an archive',
    fits: { characters: 900, calls: 100 },
    place(home, document) {
      const names = document.split('\n').filter((line) => line !== '');
      home.file('inbox/letters.zip', makeZip(names.map((name) => ({ name, data: 'x' }))));
    },
    read: { name: 'fs.read_file', args: { path: 'inbox/letters.zip' } },
  },
  {
    name: 'a page of the web',
    place: (home, document) => servePage(home, 'text/plain', Buffer.from(document)),
    read: (_document, home) => ({ name: 'web_fetch', args: { url: pageOf(home) } }),
  },
  {
    name: 'a PDF of the web',
    place: (home, document) => servePage(home, 'application/pdf', makePdf([{ lines: document.split('\n') }])),
    read: (_document, home) => ({ name: 'web_fetch', args: { url: pageOf(home) } }),
  },
  {
    name: 'the output of a process in the background',
    place: (home, document) => void home.file('inbox/mail.txt', document),
    read: { name: 'bash', args: { command: 'cat inbox/mail.txt', background: true } },
    readOn: { name: 'process', args: { action: 'wait' } },
    placeOwn: (home, document) => void home.file('notes/mail.txt', document),
    readOwn: { name: 'bash', args: { command: 'cat notes/mail.txt', background: true } },
    trust: trustFolder,
  },
];

interface Served {
  address: string;
  type: string;
  body: Buffer;
  /** A page that is asked for again must be read again. */
  version: number;
}

const pages = new Map<string, Served>();
const pageOf = ({ path }: Home): string => `${pages.get(path)?.address}/page-${pages.get(path)?.version}`;

/** On a server of its own, which the owner has permitted to be read. */
async function servePage(home: Home, type: string, body: Buffer): Promise<void> {
  const known = pages.get(home.path);
  if (known) return void pages.set(home.path, { ...known, type, body, version: known.version + 1 });
  const server = createServer((_request, response) => {
    const page = pages.get(home.path);
    response.setHeader('content-type', page?.type ?? type);
    response.end(page?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(() => server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  pages.set(home.path, { address, type, body, version: 1 });
  home.config({ privateHosts: [address.replace('http://', '')] });
  mkdirSync(home.path, { recursive: true });
  const rules = { version: 1, allow: [`web_fetch(${address}/*)`] };
  writeFileSync(join(home.path, 'permissions.json'), JSON.stringify(rules));
}
