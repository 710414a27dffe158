// Storage that fails once, at the moment when the turn of a kept message begins.
import { expect, it } from 'vitest';
import { afterFile, testHome } from '../../test/support/test-home.ts';
import { testRuntime } from '../../test/support/test-runtime.ts';
import { StorageError } from '../storage/storage.ts';
import { askKept } from './ask-kept.ts';

const home = testHome();
home.config({ provider: 'stub' });
const runtime = await testRuntime(home.path, { cwd: home.workspace });
afterFile(() => runtime.close());
const context = {
  runtime,
  access: await runtime.consoleAccess(),
  workspaceFor: () => runtime.openWorkspace({ root: home.workspace }),
  limits: { run: <T>(_person: string, _operation: string, work: () => Promise<T>) => work() },
  feed: { publish() {} },
  warn() {},
} as unknown as Parameters<typeof askKept>[1];
const question = {
  id: 'a',
  turnId: 't',
  sessionKey: 'main',
  text: 'and then?',
  sender: { name: 'owner' },
  origin: 'a b',
};

it('is still to be asked where its turn failed before it was on record', async () => {
  const { begin } = runtime.sessions;
  runtime.sessions.begin = () => Promise.reject(new StorageError('STORAGE_FULL', 'the disk is full'));
  await expect(askKept(question, context)).rejects.toThrow('the disk is full');
  runtime.sessions.begin = begin;
  await askKept(question, context);
  const { signal } = new AbortController();
  for (const id of ['a', 'b']) expect(await runtime.sessions.isInConversation('main', id, signal)).toBe(true);
});
