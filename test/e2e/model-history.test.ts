// Whatever a session has been through, what the model is sent next is legal: sequences of turns of every kind, each with
// its own ending, over each provider, with and without memory. Driven in this process, against the real adapter and disk.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AskRequest } from '../../src/gateway/gateway.ts';
import { createLocalStorage } from '../../src/storage/local/local-storage.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { parseLines } from '../support/home.ts';
import { type AppTool, createModelApp, type ModelApp } from '../support/model-app.ts';
import { structureProblems } from '../support/transcript-rules.ts';

const PLACES = [
  { provider: 'openai-compatible', path: '/v1' },
  { provider: 'openai', path: '/v1' },
  { provider: 'anthropic', path: '' },
  { provider: 'openai-codex', path: '/backend-api' },
];

interface Kind {
  input?: string;
  /** Of this turn's requests; what is asked beyond them is a summary for the memory. */
  replies: Reply[];
  more?: Partial<AskRequest>;
  /** Written to the turn once the model is asked. */
  steers?: readonly string[];
  /** Cancelled once the model is asked. */
  cancel?: boolean;
}

const TOOLS: AppTool[] = [
  { name: 'time.now', effect: 'read', run: () => '12:00' },
  {
    name: 'fs.read_file',
    effect: 'read',
    parameters: ['path'],
    run({ path }) {
      if (path === 'a.txt') return 'alpha';
      throw new Error(`No such file: ${path}`);
    },
  },
];
const READ = { name: 'fs_read_file', args: { path: 'a.txt' } };
const MISSING = { name: 'fs_read_file', args: { path: 'missing.txt' } };
const KINDS: Record<string, Kind> = {
  answered: { replies: [{ text: 'An answer.' }] },
  'answered at length': { replies: [{ text: 'words '.repeat(3_000) }] },
  'answered with nothing': { replies: [{}] },
  'answered with a blank': { replies: [{ text: ' \n' }] },
  'answered after thinking': { replies: [{ reasoning: 'Hm.', text: 'Thought.' }] },
  'with tools': {
    replies: [{ text: 'Looking.', toolCalls: [READ, MISSING] }, { toolCalls: [READ] }, { text: 'Read.' }],
  },
  'steered between its calls': {
    replies: [{ toolCalls: [READ, MISSING] }, { text: 'So.', toolCalls: [READ] }, { text: 'Read.' }],
    steers: ['only the first file', 'and in short'],
  },
  'steered too late': { replies: [{ text: 'An answer.' }], steers: ['but'] },
  'steered, then failed': {
    replies: [{ toolCalls: [READ] }, { fault: { kind: 'status', status: 400 } }],
    steers: ['wait'],
  },
  'with thinking and tools': { replies: [{ reasoning: 'Hm.', toolCalls: [READ] }, { text: 'Read.' }] },
  'with malformed calls': { replies: [{ text: 'So:', toolCalls: [{ name: 'fs_read_file', args: '{"path' }] }] },
  'with malformed and good calls': {
    replies: [{ toolCalls: [{ name: 'fs_read_file', args: '[]' }, READ] }, { text: 'One of two.' }],
  },
  'ended by the limit': { replies: [{ toolCalls: [READ] }], more: { toolMaxSteps: 1 } },
  'without tools': { replies: [{ text: 'I would.', toolCalls: [READ] }], more: { withTools: false } },
  refused: { replies: [{ text: 'I', finish: 'refused' }] },
  failed: { replies: [{ fault: { kind: 'status', status: 400 } }] },
  'failed after tools': { replies: [{ toolCalls: [READ] }, { fault: { kind: 'status', status: 400 } }] },
  'broken off': {
    replies: [{ ...{ text: 'Half', toolCalls: [READ] }, fault: { kind: 'end-early', afterBytes: 900 } }],
  },
  cancelled: { replies: [{ fault: { kind: 'hang' } }], cancel: true },
  'too long once': { replies: [{ fault: { kind: 'context-length' } }, { text: 'Shorter.' }] },
  'by hand': { input: 'tool:[{"name":"time.now"},{"name":"nope"}]', replies: [] },
  'by hand with a question': {
    input: 'tool:fs.read_file {"path":"a.txt"}\nwhat is it?',
    replies: [{ text: 'A file.' }],
  },
  'by hand, then tools': { input: 'tool:time.now\nand the file?', replies: [{ toolCalls: [READ] }, { text: 'Both.' }] },
  unparsable: { input: 'tool:{', replies: [] },
};

interface Session {
  app: ModelApp;
  server: ModelServer;
  transcript(): string;
}

async function withSession(place: (typeof PLACES)[number], use: (session: Session) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'lainclaw-history-'));
  const home = join(directory, 'home');
  const storage = createLocalStorage({ home, now: Date.now });
  const server = await startModelServer({ script: [] });
  try {
    const { provider, path } = place;
    const app = createModelApp({ storage, provider, baseUrl: server.url + path, tools: TOOLS });
    const transcript = (): string => {
      const [name = ''] = readdirSync(join(home, 'sessions')).filter((file) => file.endsWith('.jsonl'));
      return readFileSync(join(home, 'sessions', name), 'utf8');
    };
    await use({ app, server, transcript });
  } finally {
    await storage.close();
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function take({ app, server }: Session, name: string, memory: boolean): Promise<void> {
  const { input = `a question for ${name}`, replies, more, steers = [], cancel } = KINDS[name] as Kind;
  const stop = new AbortController();
  server.setScript((_request, index) => {
    if (cancel) stop.abort(new Error('enough'));
    if (index === 0) for (const text of steers) void app.steer(text);
    return replies[index] ?? { text: '- what was said' };
  });
  await app.ask(input, { memory, ...more }, stop.signal);
}

describe.each(PLACES)('over $provider', (place) => {
  it('every kind of turn can follow every other', async () => {
    const turns = fc.array(fc.constantFrom(...Object.keys(KINDS)), { minLength: 12, maxLength: 18, size: 'max' });
    const property = fc.asyncProperty(turns, fc.boolean(), (names, memory) =>
      withSession(place, async (session) => {
        for (const [index, name] of [...names, 'answered'].entries()) {
          await take(session, name, memory);
          const before = names.slice(Math.max(0, index - 3), index).join(', ');
          expect(session.server.violations, `turn ${index + 1}, ${name}, after ${before}`).toEqual([]);
        }
        expect(structureProblems(parseLines(session.transcript()))).toEqual([]);
      }),
    );
    await fc.assert(property, { numRuns: 3, seed: 20261115, endOnFailure: true });
  });

  it('a message written to a running turn joins it after its calls, and stays where the model saw it', async () => {
    await withSession(place, async (session) => {
      const { app, server, transcript } = session;
      await take(session, 'steered between its calls', false);
      await take(session, 'answered', false);
      const spoken = JSON.stringify(server.requests.at(-1)?.body);
      const order = ['a question for steered', 'alpha', 'only the first file', 'and in short', 'So.', 'Read.'];
      const places = order.map((text) => spoken.indexOf(text));
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect(places).not.toContain(-1);
      const messages = parseLines(transcript()).flatMap((line) => (line.type === 'message' ? [line.message] : []));
      expect(messages.slice(0, 3).map(({ role, content }) => [role, content])).toEqual([
        ['user', 'a question for steered between its calls'],
        ['user', 'only the first file'],
        ['user', 'and in short'],
      ]);
      expect(server.violations).toEqual([]);
      expect(await app.steer('nobody runs')).toBe('unknown');
    });
  });

  it('a memory may begin anywhere in the conversation', async () => {
    await withSession(place, async (session) => {
      for (const name of [...Array(11).fill('answered'), 'with tools', 'answered', 'answered'])
        await take(session, name, true);
      expect(session.transcript()).toContain('"compaction"');
      expect(session.server.violations).toEqual([]);
    });
  });
});
