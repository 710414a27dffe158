import { expect, it } from 'vitest';
import { terminal } from '../support/lainclaw.ts';
import { modelFor } from '../support/model-providers.ts';

it('--debug says on stderr what each call took and used, and leaves the answer alone', async () => {
  const model = await modelFor('openai-compatible', [
    { toolCalls: [{ name: 'time_now', args: {} }] },
    { text: 'noon' },
  ]);
  const { stdout, stderr, code } = await model.ask('what time is it?', '--text', '--debug');
  expect(code).toBe(0);
  expect(stdout).toBe('noon\n');
  for (const line of [
    /debug: turn turn-\w+ of the session main/,
    /debug: asking openai-compatible\/fake/,
    /debug: openai-compatible\/fake answered after [\d.]+ ms; 12 tokens in, 7 out/,
    /debug: time\.now \S+ ended after [\d.]+ ms/,
    /debug: the turn ended \(answered\) after [\d.]+ ms: 2 model calls, 1 tool call/,
  ])
    expect(stderr).toMatch(line);
  const quiet = await modelFor('openai-compatible', [{ text: 'hi' }]);
  expect((await quiet.ask('hi', '--text')).stderr).not.toContain('debug:');
});

it('at a terminal its lines do not continue a line of the answer', async () => {
  const model = await modelFor('openai-compatible', [{ text: ['it is ', 'noon'] }]);
  const { home, flags, env } = model;
  const { stdout, code } = await terminal(['ask', 'what time is it?', '--debug', ...flags], { home, env });
  expect(code).toBe(0);
  expect(stdout).toMatch(/(?:^|\n)it is noon\nlainclaw: debug: openai-compatible\/fake answered/);
  expect(stdout.trimEnd()).not.toMatch(/\n\n/);
});

it('an attempt that is repeated is reported without advice for people', async () => {
  const model = await modelFor('openai-compatible', [
    { text: '', fault: { kind: 'cut', afterBytes: 0 } },
    { text: 'there' },
  ]);
  const { stderr } = await model.ask('hi', '--text');
  expect(stderr).toMatch(/↻ The connection to \S+ failed \([^)]+\); asking again in \d+ s/);
});
