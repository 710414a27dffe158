import { describe, expect, it } from 'vitest';
import { testOperations } from '../../test/support/test-operations.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { RuntimeWorkspace } from '../runtime/workspace.ts';
import { valueProblem } from '../tools/validate.ts';
import { OPERATIONS } from './all.ts';

/** A turn of the session `main` that leaves a file behind. */
async function writeFile(runtime: Runtime, path: string): Promise<void> {
  const { ask } = await (await runtime.openWorkspace()).gateway();
  const input = `tool:file_write ${JSON.stringify({ path, content: 'hello' })}`;
  const settings = { provider: 'stub', sessionKey: 'main', newSession: false, withTools: true, toolMaxSteps: 3 };
  const request = { input, attachments: [], mode: 'auto' as const, caps: {}, ...settings };
  for await (const event of await ask(request, new AbortController().signal))
    if (event.type === 'run-end') expect(event.result.toolError).toBeUndefined();
}

/** The runtime, and the workspaces that were opened in it and not closed: a gateway would keep each of them. */
function watchWorkspaces(runtime: Runtime): { runtime: Runtime; open: ReadonlySet<RuntimeWorkspace> } {
  const open = new Set<RuntimeWorkspace>();
  const openWorkspace: Runtime['openWorkspace'] = async (options) => {
    const workspace = await runtime.openWorkspace(options);
    open.add(workspace);
    const close = async (): Promise<void> => {
      open.delete(workspace);
      await workspace.close();
    };
    return { ...workspace, close };
  };
  return { runtime: { ...runtime, openWorkspace }, open };
}

describe('an operation', () => {
  it('refuses input that does not fit its schema, naming the field, before it runs', async () => {
    const { invoke } = await testOperations();
    await expect(invoke('memory.save', { content: 7 })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('content'),
    });
    await expect(invoke('memory.save', { content: 'x', sauce: 'y' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await invoke('memory.list')).toEqual([]);
  });

  it('fills in the defaults of its schema, also for a field that is undefined', async () => {
    const { invoke } = await testOperations();
    for (let note = 0; note < 12; note += 1) await invoke('memory.save', { content: `note ${note} about tea` });
    const found = (await invoke('memory.search', { query: 'tea' })) as { results: unknown[] };
    expect(found.results).toHaveLength(10);
  });

  it.each([
    ['memory.save', { content: 'a note' }],
    ['memory.search', { query: 'note' }],
    ['memory.list', {}],
    ['memory.reindex', {}],
    ['memory.log', {}],
    ['memory.findEverywhere', { text: 'earlier note' }],
    ['memory.forgetEverywhere', { text: 'earlier note' }],
    ['memory.extract', {}],
    ['core-memory.get', {}],
    ['core-memory.set', { section: 'user', key: 'city', value: 'Riga' }],
    ['console.people', {}],
    ['console.sessions', {}],
    ['api-keys.create', { name: 'an editor' }],
    ['api-keys.list', {}],
    ['turns.start', { text: 'hello' }],
    ['pairing.list', {}],
    ['permissions.add', { rule: 'bash(make)' }],
    ['permissions.list', {}],
    ['processes.list', {}],
    ['agents.list', {}],
    ['agents.runs', {}],
    ['docs.list', {}],
    ['docs.search', { query: 'gateway' }],
    ['docs.read', { address: 'glossary.md' }],
    ['doctor.check', {}],
    ['selftest.run', {}],
    ['audit.show', {}],
    ['audit.verify', {}],
    ['audit.export', { format: 'csv' }],
    ['doctor.repair', {}],
    ['backup.automatic', {}],
    ['backup.create', { file: 'home.backup', force: true }],
    ['memory.summary', {}],
    ['memory.why', {}],
    ['memory-models.list', {}],
    ['memory-models.use', { name: 'none' }],
    ['models.list', { provider: 'openai-codex' }],
    ['models.list', { provider: 'openai' }],
    ['setup.detect', {}],
    ['setup.preferences', { language: 'ru' }],
    ['setup.findSearch', {}],
    ['setup.search', { service: 'model', check: false }],
    ['setup.trySearch', { service: 'model', provider: 'openai' }],
    ['skills.list', {}],
    ['usage.today', {}],
    ['usage.report', { days: 7 }],
    ['sessions.list', {}],
    ['sessions.listAll', {}],
    ['sessions.show', { key: 'main' }],
    ['sessions.list', { firstWords: true, limit: 5 }],
    ['sessions.turns', { key: 'main' }],
    ['sessions.search', { words: 'note' }],
    ['sessions.export', { key: 'main' }],
    ['sessions.export', { key: 'main', format: 'json', all: true, last: 1 }],
    ['sessions.replay', { key: 'main' }],
    ['sessions.replay', { key: 'main', turn: 1, streams: true }],
    ['sessions.replayAgainst', { key: 'main', provider: 'stub' }],
    ['sessions.delete', { key: 'main' }],
    ['sessions.rename', { key: 'main', title: 'A note' }],
    ['sessions.fork', { key: 'main' }],
    ['sessions.rewind', { key: 'main', turn: 'turn', files: true }],
    ['sessions.rewind', { key: 'main', turn: 'turn', before: true, files: true }],
    ['tools.list', { allow: ['file_read'] }],
    ['tools.info', { name: 'bash' }],
    ['tools.invoke', { name: 'file_read', args: { path: 'note.txt' } }],
    ['tools.invoke', { name: 'file_raed' }],
    ['undo.list', {}],
    ['undo.diff', {}],
    ['undo.turn', {}],
    ['folders.list', {}],
    ['folders.create', { name: 'Work' }],
    ['schedule.add', { name: 'brief', cron: '0 8 * * 1-5', message: 'what is on today?' }],
    ['schedule.list', { language: 'en' }],
    ['schedule.edit', { name: 'daily', message: 'and today?' }],
    ['schedule.preview', { cron: '@hourly', language: 'ru' }],
    ['schedule.history', { name: 'daily' }],
    ['schedule.next', {}],
    ['schedule.pause', { name: 'daily' }],
    ['schedule.remove', { name: 'daily' }],
    ['schedule.run', { name: 'daily' }],
    ['schedule.runDue', {}],
  ])('%s answers what its output schema says, and leaves no workspace open', async (name, input) => {
    const { invoke, checked, runtime } = await testOperations();
    await invoke('memory.save', { content: 'an earlier note', title: 'Title' });
    await writeFile(runtime, 'note.txt');
    await invoke('schedule.add', { name: 'daily', cron: '@daily', message: 'hello' });
    const watched = watchWorkspaces(runtime);
    expect((await checked(name, input, { runtime: watched.runtime })).problem).toBeUndefined();
    // A turn runs in it afterwards.
    if (name !== 'turns.start') expect(watched.open.size).toBe(0);
  });
});

it('has a schema that can be read for every input and output', async () => {
  for (const { name, input, output } of OPERATIONS) {
    for (const schema of [input, output])
      expect([name, await valueProblem({ ...schema }, Symbol.iterator)]).not.toEqual([
        name,
        expect.stringContaining('cannot be read'),
      ]);
  }
});
