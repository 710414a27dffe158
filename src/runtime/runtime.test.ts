import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readEnvironment } from '../config/environment.ts';
import type { AskRequest } from '../gateway/gateway.ts';
import type { RunEvent } from '../pipeline/events.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import type { RuntimeWorkspace } from './workspace.ts';

let folder: string;
let runtime: Runtime;
const home = (): string => join(folder, 'home');
const root = (name: string): string => join(folder, name);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lainclaw-runtime-'));
  for (const name of ['one', 'two']) mkdirSync(root(name));
  const environment = readEnvironment({ variables: { LAINCLAW_HOME: home() }, cwd: folder, program: [] });
  runtime = await createRuntime({ environment, warn: (line) => expect.unreachable(line) });
});
afterEach(async () => {
  await runtime.close();
  rmSync(folder, { recursive: true });
});

const request = (changed: Partial<AskRequest>): AskRequest => ({
  input: 'hello',
  attachments: [],
  provider: 'stub',
  sessionKey: 'main',
  newSession: false,
  withTools: true,
  toolMaxSteps: 3,
  mode: 'auto',
  caps: {},
  ...changed,
});

async function ask(
  workspace: RuntimeWorkspace,
  changed: Partial<AskRequest>,
  onEvent?: (event: RunEvent) => void,
): Promise<RunEvent | undefined> {
  let last: RunEvent | undefined;
  for await (const event of await (await workspace.gateway()).ask(request(changed), new AbortController().signal)) {
    last = event;
    onEvent?.(event);
  }
  return last;
}

it.each(['kept-messages.json', 'folders.json'])(
  'a deletion that %s does not let end keeps nobody from anything else, and is finished later',
  async (name) => {
    await ask(await runtime.openWorkspace({ root: root('one') }), {});
    writeFileSync(join(home(), name), '{', { mode: 0o600 });
    const changes = await runtime.sessionChanges();
    await expect(changes.remove({ sessionKey: 'main' })).rejects.toThrow(name);

    const warnings: string[] = [];
    const environment = readEnvironment({ variables: { LAINCLAW_HOME: home() }, cwd: folder, program: [] });
    const next = await createRuntime({ environment, warn: (line) => warnings.push(line) });
    expect(warnings.join()).toContain(name);
    await next.close();
    rmSync(join(home(), name));
    const last = await createRuntime({ environment, warn: (line) => expect.unreachable(line) });
    expect(await last.sessions.get('main')).toBeUndefined();
    await last.close();
  },
);

it('workspaces of one runtime share sessions, and each has files of its own', async () => {
  const [one, two] = [
    await runtime.openWorkspace({ root: root('one') }),
    await runtime.openWorkspace({ root: root('two') }),
  ];
  const write = (text: string) =>
    `tool:${JSON.stringify([{ name: 'file_write', args: { path: 'note.txt', content: text } }])}`;
  await Promise.all([ask(one, { input: write('first') }), ask(two, { input: write('second') })]);
  expect(readFileSync(join(root('one'), 'note.txt'), 'utf8')).toBe('first');
  expect(readFileSync(join(root('two'), 'note.txt'), 'utf8')).toBe('second');
  expect((await runtime.sessions.show('main', 10))?.messages.filter(({ role }) => role === 'user')).toHaveLength(2);
});

it('a workspace that is closed leaves the others open', async () => {
  const one = await runtime.openWorkspace({ root: root('one') });
  const two = await runtime.openWorkspace({ root: root('two') });
  await ask(one, {});
  await one.close();
  await expect(ask(one, {})).rejects.toThrow('the workspace is closed');
  expect(await ask(two, {})).toMatchObject({ result: { success: true } });
});

it('knows with the second turn that the process lasts, also when each turn has a workspace of its own', async () => {
  const variables = { LAINCLAW_HOME: home() };
  const onLasting = vi.fn();
  const lasting = await createRuntime({
    environment: readEnvironment({ variables, cwd: folder, program: [] }),
    onLasting,
    warn: (line) => expect.unreachable(line),
  });
  const calls: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const workspace = await lasting.openWorkspace({ root: root('one') });
    await ask(workspace, {});
    await workspace.close();
    calls.push(onLasting.mock.calls.length);
  }
  await lasting.close();
  expect(calls).toEqual([0, 1, 1]);
});

it('a workspace that is not a directory cannot be opened, and nothing is left of the attempt', async () => {
  await expect(runtime.openWorkspace({ root: root('missing') })).rejects.toMatchObject({ name: 'WorkspaceError' });
  expect(existsSync(home())).toBe(false);
});

it('closing the runtime cancels a running turn and closes its journal first', async () => {
  const workspace = await runtime.openWorkspace({ root: root('one') });
  const started = Promise.withResolvers<void>();
  const input = `tool:${JSON.stringify([{ name: 'bash', args: { command: 'sleep 60' } }])}`;
  const asking = ask(workspace, { input }, ({ type }) => type === 'tool-start' && started.resolve());
  await started.promise;
  await runtime.close();
  expect(await asking).toMatchObject({ type: 'run-end', result: { success: false, stage: 'cancelled' } });
  const [transcript = ''] = readdirSync(join(home(), 'sessions')).filter((name) => name.endsWith('.jsonl'));
  const lines = readFileSync(join(home(), 'sessions', transcript), 'utf8')
    .trim()
    .split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'turn-end' });
});

it('a program that answers for its workspace is on record, and seen by every reader of the turn', async () => {
  const workspace = await runtime.openWorkspace({ root: root('one'), askPerson: async () => 'once' });
  const seen: string[] = [];
  await ask(workspace, { mode: 'ask', input: 'tool:file_write {"path":"a.txt","content":"x"}' }, (event) => {
    seen.push(event.type);
    if (event.type === 'tool-end') expect(event).toMatchObject({ result: { ok: true }, granted: { place: 'program' } });
  });
  expect(seen).toEqual(expect.arrayContaining(['permission-request', 'permission-resolved', 'tool-end']));
  const shown = await runtime.sessions.show('main', 10);
  expect(shown?.permissions).toMatchObject([{ tool: 'file_write', scope: 'once', by: 'program', place: 'program' }]);
});
