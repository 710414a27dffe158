// A turn that loses its session's lock in the middle: it stops, does nothing more and journals nothing more.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readEnvironment } from '../../src/config/environment.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import { createLocalStorage } from '../../src/storage/local/local-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { noSubject } from '../../src/tools/subject.ts';
import { replyBytes } from '../fakes/model-server/render-reply.ts';
import { createModelApp } from '../support/model-app.ts';

it('a turn whose lock is lost runs no further call and leaves the session to the new holder', async () => {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-lost-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const open = (): Storage => {
    const storage = createLocalStorage({ home, now: Date.now });
    onTestFinished(() => storage.close());
    return storage;
  };
  const storage = open();
  const other = open();
  const ran: string[] = [];
  const call = (name: string) => ({ name, args: {} });
  const replies = [
    { toolCalls: [call('lose'), call('change')] },
    { toolCalls: [call('change')] },
    { text: 'Done.' },
  ].map((reply) => replyBytes(reply, { dialect: 'chat', model: 'fake' }));
  const app = createModelApp({
    storage,
    provider: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:1/v1',
    // The server is also asked about its models.
    fetch: async (input) =>
      new Request(input).url.endsWith('/chat/completions')
        ? new Response(new Uint8Array(replies.shift() ?? []), { headers: { 'content-type': 'text/event-stream' } })
        : new Response('', { status: 404 }),
    tools: [
      {
        name: 'lose',
        effect: 'read',
        async run() {
          rmSync(join(home, 'locks'), { recursive: true });
          const lock = await other.locks.acquire('session:main');
          const [sessionId = ''] = await other.transcripts.list();
          const transcript = await other.transcripts.open(sessionId, lock);
          await transcript.append([{ type: 'message', message: { content: 'of the new holder' } }]);
          await transcript.close();
          return 'lost';
        },
      },
      {
        name: 'change',
        effect: 'write',
        run() {
          ran.push('change');
          return 'changed';
        },
      },
    ],
  });

  const { result } = await app.ask('go');
  expect(result).toMatchObject({ success: false, error: { code: 'STORAGE_LOCK_LOST' } });
  expect(ran).toEqual([]);
  const [sessionId = ''] = await other.transcripts.list();
  const lines = await Array.fromAsync(other.transcripts.scan(sessionId));
  expect(lines.at(-1)).toMatchObject({ line: { message: { content: 'of the new holder' } } });
});

it('a turn whose lock is lost records no change of a file for undo, so that the file stays as it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lainclaw-lost-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = join(folder, 'home');
  const other = createLocalStorage({ home, now: Date.now });
  onTestFinished(() => other.close());
  const failures: unknown[] = [];
  const state = (text: string) => ({ bytes: Buffer.from(text), mode: 0o644 });
  const change = { tool: 'lose', path: 'a.txt', before: undefined, after: state('late'), madeDirectories: [] };
  const lose = defineTool({
    name: 'lose',
    description: 'Loses the lock, then records a change.',
    schema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'write',
    subject: noSubject,
    async execute(_args, { changes }) {
      await changes.record({ ...change, path: 'before.txt' });
      rmSync(join(home, 'locks'), { recursive: true });
      await other.locks.acquire('session:main');
      for (const record of [() => changes.record(change), () => changes.recordMade({ changes: [change] })])
        await record().catch((error: unknown) => failures.push(error));
      return { data: 'done' };
    },
  });
  const environment = readEnvironment({ variables: { LAINCLAW_HOME: home }, cwd: folder, program: [] });
  const runtime = await createRuntime({ environment, tools: [lose], warn() {} });
  onTestFinished(() => runtime.close());
  const { ask } = await (await runtime.openWorkspace()).gateway();
  const settings = { provider: 'stub', sessionKey: 'main', newSession: false, withTools: true, toolMaxSteps: 3 };
  const request = { input: 'tool:lose {}', attachments: [], mode: 'auto' as const, caps: {}, ...settings };
  await Array.fromAsync(await ask(request, new AbortController().signal));
  expect(failures).toMatchObject([{ code: 'STORAGE_LOCK_LOST' }, { code: 'STORAGE_LOCK_LOST' }]);
  const [sessionId = ''] = await other.transcripts.list();
  expect(await (await runtime.undo()).turns(sessionId)).toMatchObject([{ paths: ['before.txt'] }]);
});
