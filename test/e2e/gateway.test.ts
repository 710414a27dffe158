// The gateway as the program builds it, in this process, with the stub as its provider.
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { readEnvironment } from '../../src/config/environment.ts';
import type { AskRequest } from '../../src/gateway/gateway.ts';
import type { RunEvent } from '../../src/pipeline/events.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import type { RuntimeWorkspace } from '../../src/runtime/workspace.ts';
import type { Home } from '../support/home.ts';
import { afterFile, testHome } from '../support/test-home.ts';

let home: Home;
let workspace: RuntimeWorkspace;
beforeEach(async () => {
  home = testHome();
  const environment = readEnvironment({ variables: { LAINCLAW_HOME: home.path }, cwd: home.workspace, program: [] });
  const runtime = await createRuntime({ environment, warn: (line) => expect.unreachable(line) });
  afterFile(() => runtime.close());
  workspace = await runtime.openWorkspace();
});

const request = (changed: Partial<AskRequest> = {}): AskRequest => ({
  input: 'hello',
  attachments: [],
  provider: 'stub',
  sessionKey: 'main',
  newSession: false,
  withTools: true,
  toolMaxSteps: 3,
  mode: 'ask',
  caps: {},
  ...changed,
});

async function eventsOf(changed: Partial<AskRequest> = {}, signal = new AbortController().signal): Promise<RunEvent[]> {
  return Array.fromAsync(await (await workspace.gateway()).ask(request(changed), signal));
}

it.each([
  [{ input: '' }, 'ASK_INPUT_REQUIRED', /nothing to ask/],
  [{ input: ' \n\t' }, 'ASK_INPUT_REQUIRED', /nothing to ask/],
  [{ sessionKey: '../x' }, 'INVALID_SESSION_KEY', /"\.\.\/x"/],
  [{ sessionKey: '' }, 'INVALID_SESSION_KEY', /empty/],
  [{ provider: 'nope' }, 'UNSUPPORTED_PROVIDER', /"nope"; accepted: stub, /],
  [{ provider: '__proto__' }, 'UNSUPPORTED_PROVIDER', /accepted: stub, /],
])('%j is refused as %s before anything is begun', async (changed, code, message) => {
  const gateway = await workspace.gateway();
  await expect(gateway.ask(request(changed), new AbortController().signal)).rejects.toMatchObject({
    name: 'RefusedRequest',
    code,
    message: expect.stringMatching(message),
  });
  expect(home.exists()).toBe(false);
});

it('a turn reports its start, its text and, once, its end', async () => {
  const events = await eventsOf();
  expect(events.map(({ type }) => type)).toEqual(['run-start', 'model-start', 'text-delta', 'model-end', 'run-end']);
  const [start, , delta, , end] = events;
  expect(start).toMatchObject({ sessionKey: 'main', provider: 'stub' });
  expect(end).toMatchObject({ result: { success: true, result: (delta as { text: string }).text } });
});

it('tools report their start and their end in the order of the calls', async () => {
  const events = await eventsOf({ input: 'tool:[{"name":"time.now"},{"name":"nope"}]' });
  const told = events.flatMap((event) => ('call' in event ? [`${event.type} ${event.call.name}`] : []));
  expect(told.toSorted()).toEqual(['tool-end nope', 'tool-end time.now', 'tool-start nope', 'tool-start time.now']);
  expect(told.filter((line) => line.startsWith('tool-end'))).toEqual(['tool-end time.now', 'tool-end nope']);
  expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(1);
});

it('turns of one session that are asked at once run one after the other', async () => {
  const all = await Promise.all(Array.from({ length: 5 }, (_, index) => eventsOf({ input: `question ${index}` })));
  expect(all.filter((events) => events.some(({ type }) => type === 'waiting'))).toHaveLength(4);
  const results = all.map((events) => events.at(-1));
  for (const end of results) expect(end).toMatchObject({ type: 'run-end', result: { success: true } });
});

it('a turn that is cancelled before it begins ends as cancelled and leaves no message', async () => {
  const events = await eventsOf({}, AbortSignal.abort(new Error('stop')));
  expect(events.at(-1)).toMatchObject({ result: { success: false, stage: 'cancelled', error: { code: 'CANCELLED' } } });
  expect(home.transcripts()).toEqual([]);
});

it('a turn that cannot be stored ends with the reason, and the next one runs', async () => {
  const misplaced = join(home.path, 'sessions', 'sessions.json');
  mkdirSync(misplaced, { recursive: true });
  const events = await eventsOf();
  const error = expect.objectContaining({ code: 'STORAGE_NOT_A_DIRECTORY' });
  expect(events.filter(({ type }) => type === 'run-end')).toEqual([
    { type: 'run-end', result: expect.objectContaining({ success: false, stage: 'failed', error }) },
  ]);
  rmdirSync(misplaced);
  expect((await eventsOf()).at(-1)).toMatchObject({ result: { success: true } });
});
