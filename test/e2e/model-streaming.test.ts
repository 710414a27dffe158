// A turn as a person at a terminal sees it: text while it is being written, a line for every tool, nothing twice, and no
// control character of the model's. And as a program reads it: one JSON value, whatever was streamed.
import { describe, expect, it } from 'vitest';
import type { AskResult } from '../../src/pipeline/events.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { BINARY, runBinary } from '../support/lainclaw.ts';
import { bytesBefore, modelFor, PROVIDERS } from '../support/model-providers.ts';

const READ = { name: 'fs_read_file', args: { path: 'a.txt' } };
const occurrences = (text: string, part: string): number => text.split(part).length - 1;
/** Escapes of our own colours are not the model's. */
const plain = { env: { NO_COLOR: '1' } };
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

describe.concurrent('on a terminal', () => {
  it.each(PROVIDERS)('text of %s is shown before its answer ends, after the line of each tool', async (provider) => {
    const answer: Reply = { text: ['The beginning ', 'and the end.'], toolCalls: [{ name: 'later', args: {} }] };
    const { startOnTerminal, home, server } = await modelFor(
      provider,
      [
        { text: 'Looking.', toolCalls: [READ, { name: 'fs_read_file', args: { path: 'missing.txt' } }] },
        // Goes silent in the middle of its text: the server never ends it.
        { ...answer, fault: { kind: 'hang', afterBytes: bytesBefore('and the end', provider, answer) } },
      ],
      plain,
    );
    home.file('a.txt', 'alpha\n');
    const running = startOnTerminal('read them');
    await running.saw('The beginning');
    running.write('\x03');
    const { code, stdout } = await running.ended;
    expect(code).toBe(130);
    expect(stdout).toMatch(
      /Looking\.\n[\s\S]*✓ fs\.read_file \{"path":"a\.txt"\}.*\n✗ fs\.read_file .*No such file: missing\.txt\n/,
    );
    expect(stdout.indexOf('✗')).toBeLessThan(stdout.indexOf('The beginning'));
    expect(server.violations).toEqual([]);
  });

  it('everything is shown once: the text before a call, the tool, the answer', async () => {
    const { startOnTerminal, home } = await modelFor(
      'openai-compatible',
      [{ text: ['Let me ', 'look.'], toolCalls: [READ] }, { text: ['It says ', 'alpha.'] }],
      plain,
    );
    home.file('a.txt', 'alpha\n');
    const { code, stdout } = await startOnTerminal('read it').ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Let me look\.\n✓ fs\.read_file \{"path":"a\.txt"\} [\d.]+ ms\nIt says alpha\.\n$/);
  });

  it.each([
    ['the limit of steps', ['--tool-max-steps', '1'], /exceeded max steps \(1\)/],
    ['a cap', ['--max-tokens', '1'], /--max-tokens/],
  ])('the last text is shown once when %s ends the turn', async (_name, flags, reason) => {
    const { startOnTerminal, home } = await modelFor(
      'openai-compatible',
      [{ text: 'Let me look.', toolCalls: [READ] }],
      plain,
    );
    home.file('a.txt', 'alpha\n');
    const { code, stdout } = await startOnTerminal('read it', ...flags).ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(reason);
    expect(occurrences(stdout, 'Let me look.')).toBe(1);
  });

  it('a broken answer is taken back in words, and the whole one follows', async () => {
    const wrong: Reply = { text: ['Wrong ', 'start'] };
    const { startOnTerminal, home } = await modelFor(
      'openai-compatible',
      [
        { ...wrong, fault: { kind: 'cut', afterBytes: bytesBefore('start', 'openai-compatible', wrong) } },
        { text: 'Right answer.' },
      ],
      plain,
    );
    const { code, stdout } = await startOnTerminal('hello').ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Wrong[^\n]*\n↻ .*asking again in 1 s\nRight answer\.\n$/);
    expect(home.messages().at(-1)?.content).toBe('Right answer.');
  });

  it('control characters of the model are made visible, wherever it puts them', async () => {
    const evil = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u0008\r\u202egnp.exe\u0000';
    const { startOnTerminal } = await modelFor(
      'openai-compatible',
      [
        { text: [`Text ${evil}`, '\u001b', '[1m split'], toolCalls: [{ name: `evil${evil}`, args: { evil } }] },
        { fault: { kind: 'status', status: 400, body: { error: { message: `Bad ${evil}` } } } },
      ],
      plain,
    );
    const { code, stdout } = await startOnTerminal('hello').ended;
    expect(code).toBe(1);
    expect(stdout).toContain('Text \\x1b]0;owned\\x07');
    expect(stdout).toContain('\\x1b[1m split');
    expect(stdout).toMatch(/✗ evil\\x1b/);
    expect(stdout).toContain('PROVIDER_REFUSED');
    expect(stdout).not.toMatch(CONTROLS);
  });

  it('with --json it is one JSON value, without control characters, that means the same', async () => {
    const text = 'Plain \u001b[1m, \u009b31m, \u007f and \u202e.';
    const { startOnTerminal, home } = await modelFor(
      'openai-compatible',
      [{ text: ['One. '], toolCalls: [READ] }, { text }],
      plain,
    );
    home.file('a.txt', 'alpha\n');
    const { code, stdout, json } = await startOnTerminal('hello', '--json').ended;
    expect(code).toBe(0);
    expect(json<AskResult>()).toMatchObject({ success: true, result: text, toolCalls: [{ name: 'fs.read_file' }] });
    expect(stdout).not.toMatch(CONTROLS);
  });
});

describe.concurrent('through a pipe', () => {
  it('stdout is the JSON alone, however the answer arrived', async () => {
    const { ask, home } = await modelFor('anthropic', [
      { reasoning: 'Hm.', text: ['Let me ', 'look. 🌍'], toolCalls: [READ], fault: { kind: 'slow-bytes', chunk: 7 } },
      { text: ['Zür', 'ich ', '🌧'], fault: { kind: 'slow-bytes', chunk: 1 } },
    ]);
    home.file('a.txt', 'alpha\n');
    const { stdout, stderr, json } = await ask('hello');
    expect(json()).toMatchObject({ success: true, result: 'Zürich 🌧' });
    expect(stderr).toBe('');
    expect(stdout).not.toContain('Let me look');
  });

  it('with --text the answer is on stdout, the tools on stderr', async () => {
    const { ask, home } = await modelFor('openai', [
      { text: 'Let me look.', toolCalls: [READ] },
      { text: ['It says ', 'alpha.'] },
    ]);
    home.file('a.txt', 'alpha\n');
    const { code, stdout, stderr } = await ask('hello', '--text');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Let me look.\nIt says alpha.\n' });
    expect(stderr).toMatch(/^✓ fs\.read_file \{"path":"a\.txt"\} [\d.]+ ms\n$/);
  });

  it('a failure after some text ends that line, and says why on stderr', async () => {
    const { ask } = await modelFor('openai-compatible', [{ text: 'I would', finish: 'refused' }]);
    const { code, stdout, stderr } = await ask('hello', '--text');
    expect(code).toBe(1);
    expect(stdout).toBe('I would\n');
    expect(stderr).toMatch(/^error PROVIDER_REFUSED: /);
  });

  it('a reader that goes away in the middle ends the turn, not the session', async () => {
    const { home, env, flags, follow, ask } = await modelFor('openai-compatible', () => ({
      text: Array.from({ length: 400 }, () => 'x'.repeat(500)),
      fault: { kind: 'delay', betweenFramesMs: 1 },
    }));
    const command = `"${process.execPath}" "${BINARY}" ask ${flags.join(' ')} --text hello | head -c 1000`;
    const { code, stderr } = await runBinary([], { home, env, wrapper: ['sh', '-c', command] });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('INTERNAL') });
    follow([{ text: 'Still here.' }]);
    expect((await ask('and now?')).json()).toMatchObject({ success: true, result: 'Still here.' });
  });
});
