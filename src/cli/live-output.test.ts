import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../tools/tool.ts';
import { withoutShown } from './live-output.ts';

const meta = { durationMs: 1 };
const done = (output: string): ToolResult => ({ ok: true, data: { output }, meta });

describe('a result after its output was shown', () => {
  it('says only what is new', () => {
    const shown = { before: 'bash: ', result: done('one\ntwo\n'), live: 'one\ntwo\n' };
    expect(withoutShown('bash: one\ntwo', shown)).toBe('');
    expect(withoutShown('bash: one\ntwo\n[exit code 2]', shown)).toBe('[exit code 2]');
    expect(withoutShown('echo: hi\n\nbash: one\ntwo', shown)).toBe('echo: hi');
    expect(withoutShown('bash: one\ntwo\n\necho: hi', shown)).toBe('echo: hi');
  });

  it('says all where nothing was shown, or not to its end', () => {
    expect(withoutShown('bash: one', { before: 'bash: ', result: done('one'), live: '' })).toBe('bash: one');
    const long = { before: 'bash: ', result: done('head … tail'), live: 'x'.repeat(300_000) };
    expect(withoutShown('bash: head … tail', long)).toBe('bash: head … tail');
    expect(withoutShown('echo: a', { before: 'echo: ', result: { ok: true, data: 'a' }, live: 'a' })).toBe('echo: a');
  });

  it('keeps why a command was ended', () => {
    const result: ToolResult = {
      ok: false,
      error: { code: 'execution_error', message: 'took too long', reason: 'timeout' },
      data: { output: 'one\n' },
      meta,
    };
    const shown = { before: 'bash: ', result, live: 'one\n' };
    expect(withoutShown('bash: Error (execution_error): took too long\none', shown)).toBe(
      'bash: Error (execution_error): took too long',
    );
  });
});
