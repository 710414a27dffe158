import { describe, expect, it } from 'vitest';
import { keyAction } from './keys.ts';
import { createKeyPrompt } from './prompt.ts';

const idle = { hasPrompt: false, hasText: false, isCompleting: false };

describe('keys', () => {
  // As terminals have always sent them, and as the newer protocol does.
  it.each([
    ['Ctrl+C', ['\x03', '\x1b[99;5u'], 'interrupt'],
    ['Ctrl+D', ['\x04', '\x1b[100;5u'], 'leave'],
    ['Escape', ['\x1b', '\x1b[27u'], 'cancel'],
    ['Ctrl+O', ['\x0f', '\x1b[111;5u'], 'toggle-cards'],
    ['Ctrl+T', ['\x14', '\x1b[116;5u'], 'toggle-thoughts'],
    ['Ctrl+G', ['\x07', '\x1b[103;5u'], 'edit'],
    ['Ctrl+V', ['\x16', '\x1b[118;5u'], 'paste-picture'],
    ['Ctrl+L', ['\x0c', '\x1b[108;5u'], 'redraw'],
    ['Ctrl+Z', ['\x1a', '\x1b[122;5u'], 'suspend'],
  ])('%s means the same in every protocol', (_name, forms, action) => {
    for (const data of forms) expect(keyAction(data, idle)).toBe(action);
  });

  it('Ctrl+C clears what was written first, but not from within a question', () => {
    expect(keyAction('\x03', { ...idle, hasText: true })).toBe('clear');
    expect(keyAction('\x03', { ...idle, hasText: true, hasPrompt: true })).toBe('interrupt');
  });

  it.each([
    ['a letter', 'a', idle],
    ['Enter', '\r', idle],
    ['Ctrl+D behind text', '\x04', { ...idle, hasText: true }],
    ['Ctrl+D in a question', '\x04', { ...idle, hasPrompt: true }],
    ['Ctrl+G in a question', '\x07', { ...idle, hasPrompt: true }],
    ['Escape from suggestions', '\x1b', { ...idle, isCompleting: true }],
    ['Escape in a question', '\x1b', { ...idle, hasPrompt: true }],
    ['a paste that holds Ctrl+C', '\x1b[200~\x03\x1b[201~', idle],
  ])('%s belongs to the input', (_name, data, state) => {
    expect(keyAction(data, state)).toBeUndefined();
  });

  it.each([
    ['y', true],
    ['Y', true],
    ['\x1b[121u', true],
    ['\r', false],
    ['\x1b[13u', false],
    ['\x1b[27u', false],
  ])('%j answers a question', (data, expected) => {
    const answers: boolean[] = [];
    const prompt = createKeyPrompt({
      shown: '',
      keys: new Map([['y', true]]),
      otherwise: false,
      onAnswer: (answer) => answers.push(answer),
    });
    prompt.handleInput(data);
    expect(answers).toEqual([expected]);
  });

  it.each(['x', ' ', '\x1b[200~y\x1b[201~', '\x19', '\x1by', '\x1b[121;5u'])('%j does not answer it', (data) => {
    const prompt = createKeyPrompt({
      shown: '',
      keys: new Map([['y', true]]),
      otherwise: false,
      onAnswer: () => expect.unreachable(),
    });
    prompt.handleInput(data);
  });
});
