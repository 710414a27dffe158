import { describe, expect, it } from 'vitest';
import { OWNER } from '../vocabulary/memory-scope.ts';
import { createRecordedTools, NOT_RECORDED, type RecordedCall } from './recorded-tools.ts';
import { createRegistry } from './registry.ts';
import { noSubject } from './subject.ts';
import type { ToolSpec } from './tool.ts';
import type { Toolbox } from './toolbox.ts';

const signal = new AbortController().signal;
const spec: ToolSpec = {
  name: 'fs.read_file',
  aliases: ['file_read'],
  effect: 'read',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  subject: noSubject,
  requiresPermission: false,
  timeoutMs: 1,
  execute: () => {
    throw new Error('a tool was run');
  },
};
const registry = createRegistry([spec]);
const toolbox = { visible: () => registry } as unknown as Toolbox;

const recorded = (path: string, text: string, name = 'fs.read_file'): RecordedCall => ({
  call: { name, args: { path, maxLines: 1 } },
  executed: { result: { ok: true, data: text, meta: { durationMs: 1 } }, text },
});

function tools() {
  const made = createRecordedTools(toolbox);
  const executor = made.toolbox.executor({ registry, mode: 'never', who: 'owner', reader: OWNER });
  const read = async (path: string, name = 'fs.read_file'): Promise<string> =>
    (await executor.execute({ id: 'x', name, args: { maxLines: 1, path }, source: 'model' }, signal)).text;
  return { turn: made.turn, read, executor };
}

describe('tools that answer from a recording', () => {
  it('give the results of the same call in their order, the last one again and again', async () => {
    const { turn, read } = tools();
    turn([recorded('a', 'one'), recorded('b', 'other'), recorded('a', 'two')]);
    expect([await read('a'), await read('a'), await read('a'), await read('b')]).toEqual([
      'one',
      'two',
      'two',
      'other',
    ]);
  });

  it('know a tool by its other name', async () => {
    const { turn, read } = tools();
    turn([recorded('a', 'one', 'file_read')]);
    expect(await read('a')).toBe('one');
  });

  it('know what earlier turns saw last, and nothing of later ones', async () => {
    const { turn, read } = tools();
    turn([recorded('a', 'one'), recorded('a', 'two')]);
    turn([recorded('b', 'later')]);
    expect(await read('a')).toBe('two');
    turn([]);
    expect(await read('b')).toBe('later');
    const fresh = tools();
    fresh.turn([]);
    expect(await fresh.read('a')).toContain(NOT_RECORDED);
  });

  it('refuse every other call, and run nothing', async () => {
    const { turn, executor } = tools();
    turn([recorded('a', 'one')]);
    const { result } = await executor.execute({ id: 'x', name: 'bash', args: {}, source: 'model' }, signal);
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'execution_error', reason: 'denied', message: NOT_RECORDED },
    });
  });

  it('stop when the turn is cancelled', async () => {
    const { turn, executor } = tools();
    turn([recorded('a', 'one')]);
    const call = { id: 'x', name: 'fs.read_file', args: {}, source: 'model' as const };
    await expect(executor.execute(call, AbortSignal.abort())).rejects.toThrow();
  });
});
