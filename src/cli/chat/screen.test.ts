// The screen on a terminal without a window: what a person sees, and what is left in the scrollback.
import {
  type AutocompleteProvider,
  CombinedAutocompleteProvider,
  setCapabilityOverrides,
} from '@earendil-works/pi-tui';
import colors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { createVirtualTerminal, forLibrary } from '../../../test/support/virtual-terminal.ts';
import type { Entry } from './entries.ts';
import { createKeyPrompt } from './prompt.ts';
import { sparing } from './quiet-terminal.ts';
import { type Below, createScreen } from './screen.ts';

const plain = colors.createColors(false);

function setUp({ columns = 60, rows = 16, below = {} as Partial<Below> } = {}) {
  const virtual = createVirtualTerminal(columns, rows);
  const { terminal, type, resize } = forLibrary(virtual, (data) => sparing(data, virtual.rows));
  const sent: string[] = [];
  let time = 0;
  const screen = createScreen({
    terminal,
    colors: plain,
    below: () => ({ queued: [], status: undefined, footer: 'footer', ...below }),
    onSubmit: (text) => sent.push(text),
    onKey: () => false,
    now: () => time,
  });
  virtual.write('before the chat\r\n');
  screen.start();
  const shows = (text: string): Promise<void> => eventually(async () => expect(await virtual.screen()).toContain(text));
  return { virtual, screen, type, resize, sent, shows, later: (ms: number) => (time += ms) };
}

const answer = (id: number, text: string): Entry => ({ kind: 'answer', id, text, isPlain: false });
const many = (count: number): string => Array.from({ length: count }, (_, i) => `paragraph ${i}.`).join('\n\n');
const occurrences = (text: string, part: string): number => text.split(part).length - 1;

describe('the screen', () => {
  it('shows where a link leads, also where the terminal could hide it', async () => {
    setCapabilityOverrides({ hyperlinks: true });
    const { screen, shows, virtual } = setUp();
    screen.put(answer(1, 'see [the bank](https://other.example/x)'));
    await shows('https://other.example/x');
    expect(await virtual.screen()).toContain('the bank (https://other.example/x)');
  });

  it('says that a line below was cut', async () => {
    const { shows, virtual } = setUp({ columns: 20, below: { footer: 'a-long-model · main · 108 in, 63 out' } });
    await shows('a-long-model · main…');
    expect(await virtual.screen()).not.toContain('108');
  });

  it('Enter sends what is whole, and takes what the arrows chose', async () => {
    const { screen, type, sent, shows } = setUp();
    const items = ['main', 'work'].map((value) => ({ value, label: value }));
    const provider = new CombinedAutocompleteProvider(
      [{ name: 'session', description: 'go', getArgumentCompletions: async () => items }],
      '/does/not/exist',
    );
    screen.complete(provider, (before) => before === '/session m');
    type('/session m');
    await shows('→ main');
    type('\r');
    await eventually(() => expect(sent).toEqual(['/session m']));
    type('/session m');
    await shows('→ main');
    type('\x1b[B');
    await shows('→ work');
    type('\r');
    await shows('/session work');
    expect(sent).toHaveLength(1);
    type('\r');
    await eventually(() => expect(sent).toEqual(['/session m', '/session work']));
  });

  it('offers nothing more of a text that a key took away, and sends what is typed next', async () => {
    const { screen, type, sent, shows, virtual } = setUp();
    const provider: AutocompleteProvider = {
      triggerCharacters: ['@'],
      getSuggestions: async (lines) =>
        lines[0]?.endsWith('@crt') ? { prefix: '@crt', items: [{ value: '@cart.js', label: 'cart.js' }] } : null,
      applyCompletion: (lines, cursorLine, cursorCol) => ({ lines, cursorLine, cursorCol }),
    };
    screen.complete(provider, () => false);
    for (const [index, key] of ['\x15', '\x17', '\x1b\x7f', '\x1f'].entries()) {
      type('@crt');
      await shows('→ cart.js');
      type(key);
      await eventually(async () => expect(await virtual.screen()).not.toContain('→ cart.js'));
      type('\x15');
      type(`next ${index}`);
      type('\r');
      await eventually(() => expect(sent.at(-1)).toBe(`next ${index}`));
    }
  });

  it('shows the conversation above the input and the line below it', async () => {
    const { virtual, screen, shows } = setUp();
    screen.put({ kind: 'user', id: 1, text: '你好\nsecond line', attached: ['a.txt'] });
    screen.put(answer(2, '**Bold** 中文 👩‍👩‍👧'));
    await shows('Bold 中文 👩‍👩‍👧');
    expect(await virtual.screen()).toMatch(
      /before the chat\n\n› 你好\n {2}second line\n {2}\+ a\.txt\n\nBold[\s\S]*─\n[\s\S]*─\nfooter$/,
    );
  });

  it('what others have written into the lines around the input does nothing to the terminal', async () => {
    const evil = '\x1b]0;owned\x07\x1b[2J\x9b2J\u202e';
    const { virtual, screen, type, shows } = setUp({
      below: {
        status: `Running ${evil}tool`,
        queued: [{ text: `later ${evil}`, joinsTurn: false }],
        footer: `foot ${evil}`,
      },
    });
    screen.put({ kind: 'notice', id: 1, text: 'stays' });
    screen.editor.addToHistory(`sent ${evil}before`);
    await shows('stays');
    type('\x1b[A');
    await shows('before');
    const shown = await virtual.screen();
    expect(virtual.title()).toBe('');
    expect(shown).toContain('stays');
    expect(shown).toMatch(/Running \\x1b\]0;owned\\x07\\x1b\[2J\\x9b2J\\x202etool/);
    expect(shown).not.toMatch(/[\x80-\x9f\u202e]/);
  });

  it('says everything once, in the scrollback too, however it grows and changes', async () => {
    const { virtual, screen, shows } = setUp();
    const text = many(60);
    for (let at = 40; at < text.length; at += 40) {
      screen.put(answer(1, text.slice(0, at)));
      if (at % 200 === 0) await virtual.screen();
    }
    screen.put(answer(1, text));
    screen.put({ kind: 'notice', id: 2, text: 'the end' });
    await shows('the end');
    const everything = await virtual.everything();
    for (let i = 0; i < 60; i += 1) expect(occurrences(everything, `paragraph ${i}.`)).toBe(1);
    expect(everything).toContain('before the chat');
  });

  it('keeps the scrollback, and says nothing twice there, when the window changes its size', async () => {
    const { virtual, screen, resize, shows } = setUp();
    screen.put(answer(1, many(40)));
    await shows('paragraph 39.');
    resize(40, 12);
    await shows('footer');
    resize(60, 12);
    screen.put({ kind: 'notice', id: 2, text: 'the end' });
    await shows('the end');
    const everything = await virtual.everything();
    expect(everything).toContain('before the chat');
    for (let i = 0; i < 34; i += 1) expect(occurrences(everything, `paragraph ${i}.`)).toBe(1);
  });

  it('stays as it should when what was streamed far up is taken back', async () => {
    const { virtual, screen, shows } = setUp();
    screen.put(answer(1, many(40)));
    await shows('paragraph 39.');
    screen.remove(1);
    screen.put({ kind: 'notice', id: 2, text: 'asking again' });
    await shows('asking again');
    expect(await virtual.screen()).not.toContain('paragraph 39.');
  });

  it('releases what has scrolled away long ago, and continues to draw rightly', async () => {
    const { virtual, screen, shows } = setUp();
    for (let id = 1; id <= 700; id += 1) {
      screen.put({ kind: 'user', id, text: `message ${id}.`, attached: [] });
      if (id % 50 === 0) await shows(`message ${id}.`);
    }
    await shows('message 700.');
    const everything = await virtual.everything();
    for (let id = 1; id <= 700; id += 1) expect(occurrences(everything, `message ${id}.`)).toBe(1);
    // Folding and unfolding draws what is kept again: far less than there was.
    screen.toggle('cards');
    screen.put({ kind: 'notice', id: 701, text: 'drawn again' });
    await shows('drawn again');
    expect(occurrences(await virtual.everything(), 'message 10.')).toBe(1);
    expect(occurrences(await virtual.everything(), 'message 690.')).toBe(2);
  });

  it('unfolds and folds cards', async () => {
    const { screen, shows, virtual } = setUp();
    const call = { id: 'c', name: 'file_edit', args: { path: 'x' }, source: 'model' } as const;
    const result = { ok: true, data: { diff: '--- a\n+++ b\n-old\n+new' }, meta: { durationMs: 1 } } as const;
    screen.put({ kind: 'tool', id: 1, call, output: '', end: { state: 'ended', result } });
    await shows('✓ file_edit x · +1 −1');
    expect(await virtual.screen()).not.toContain('+new');
    screen.toggle('cards');
    await shows('+new');
  });

  it.each([20, 8, 4])('is drawn on %d columns', async (columns) => {
    const { virtual, screen, shows, type } = setUp({
      columns,
      below: {
        queued: [{ text: 'a text that waits', joinsTurn: true }],
        status: 'Thinking about it',
        footer: 'a long footer line',
      },
    });
    screen.put({ kind: 'user', id: 1, text: '这是一个很长的中文问题 with words', attached: ['some/path.txt'] });
    screen.put(answer(2, '| a | b |\n|---|---|\n| 中文中文中文 | words |\n\n```\nlong code line here\n```'));
    type('输入');
    screen.put({ kind: 'failure', id: 3, text: 'ERR' });
    await shows('ERR');
    for (const line of (await virtual.screen()).split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
  });

  it('takes text by key and by paste, sends on Enter, breaks lines on the others', async () => {
    const { type, sent, shows } = setUp();
    type('one');
    type('\n');
    type('two');
    type('\x1b\r');
    type('three');
    await shows('three');
    type('\r');
    const pasted = 'pasted '.repeat(1_000);
    type(`\x1b[200~${pasted}\x1b[201~`);
    type('\r');
    expect(sent).toEqual(['one\ntwo\nthree', pasted.trim()]);
  });

  it('puts a question in the place of the input only when nobody is typing', async () => {
    const { screen, type, shows, later, virtual } = setUp();
    const answers: boolean[] = [];
    type('y');
    const ask = (shown: string): void =>
      screen.setPrompt(
        createKeyPrompt({
          shown,
          keys: new Map([['y', true]]),
          otherwise: false,
          onAnswer(value) {
            answers.push(value);
            screen.clearPrompt();
          },
        }),
        'quiet',
      );
    ask('[y] yes  [N] no');
    await shows('a question waits');
    type('es');
    later(10_000);
    await shows('[y] yes');
    expect(answers).toEqual([]);
    type('x');
    type('y');
    expect(answers).toEqual([true]);
    await shows(' yes');
    expect(await virtual.screen()).not.toContain('[N] no');
    // The next one is not answered by the same press of a key, repeated.
    ask('[y] another  [N] no');
    type('y');
    expect(answers).toEqual([true]);
    later(10_000);
    await shows('[y] another');
    type('y');
    expect(answers).toEqual([true, true]);
  });

  it('leaves the conversation on the terminal, and the cursor below it', async () => {
    const { virtual, screen, shows } = setUp();
    screen.put(answer(1, 'An answer.'));
    await shows('An answer.');
    screen.stop('ended');
    virtual.write('$ ');
    expect(await virtual.screen()).toMatch(/An answer\.\n\nfooter\n+\$$/);
  });

  it('does not come back once it has ended, also when that was while it was suspended', async () => {
    const { virtual, screen, shows } = setUp();
    screen.put(answer(1, 'An answer.'));
    await shows('An answer.');
    screen.stop('resumed');
    screen.stop('ended');
    virtual.write('$ ');
    const left = await virtual.everything();
    screen.resume();
    screen.put(answer(2, 'Another.'));
    // Draws what is left to draw.
    screen.stop('ended');
    expect(await virtual.everything()).toBe(left);
  });

  it('continues below what was done while it was suspended', async () => {
    const { virtual, screen, shows } = setUp();
    screen.put(answer(1, 'An answer.'));
    await shows('An answer.');
    screen.stop('resumed');
    virtual.write('$ ls\r\nfile\r\n$ fg\r\n');
    screen.resume();
    screen.put(answer(2, 'Another.'));
    await shows('Another.');
    expect(await virtual.everything()).toMatch(/An answer\.[\s\S]*\$ ls\nfile\n\$ fg\n[\s\S]*An answer\.\n\nAnother\./);
  });
});
