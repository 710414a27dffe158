// A turn that loses its session's lock in the middle: it stops, does nothing more and journals nothing more.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createLocalStorage } from '../../src/storage/local/local-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
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
    fetch: async () =>
      new Response(new Uint8Array(replies.shift() ?? []), { headers: { 'content-type': 'text/event-stream' } }),
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
