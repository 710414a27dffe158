// The owner's hooks, through the command line with real commands.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lainclaw } from '../support/lainclaw.ts';
import { KEY, type Model, modelFor } from '../support/model-providers.ts';

/** A home whose model calls these tools one after the other, then answers with the last result. */
async function calling(hooks: object, ...calls: { name: string; args: object }[]): Promise<Model> {
  const model = await modelFor('openai-compatible', (request) => {
    const results = request.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));
    const next = calls[results.length];
    return next ? { toolCalls: [next] } : { text: `last: ${results.at(-1)}` };
  });
  model.home.config({ hooks });
  Object.assign(model.env, { LAINCLAW_API_KEY: KEY });
  return model;
}

/** A hook that keeps its input, and answers this. */
function keeping(model: Pick<Model, 'home'>, answer: string): { command: string; told(): Record<string, unknown>[] } {
  const path = join(model.home.base, 'told.jsonl');
  return {
    command: `cat >> '${path}'; printf '%s' '${answer}'`,
    told: () =>
      existsSync(path)
        ? readFileSync(path, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Record<string, unknown>)
        : [],
  };
}

const write = { name: 'file_write', args: { path: 'a.txt', content: 'hello' } };
const time = { name: 'time_now', args: {} };

describe('before-tool', () => {
  it('refuses a call with its reason, also one that was approved beforehand', async () => {
    const model = await calling(
      { 'before-tool': [{ command: `printf '{"decision":"deny","reason":"frozen on Fridays"}'`, tools: ['file_*'] }] },
      write,
      time,
    );
    const { json } = await model.ask('write it', '--approve=auto');
    expect(json()).toMatchObject({
      success: true,
      toolResults: [
        { result: { ok: false, error: { reason: 'denied', message: 'a hook refused it: frozen on Fridays' } } },
        { result: { ok: true } },
      ],
    });
    expect(existsSync(join(model.home.workspace, 'a.txt'))).toBe(false);
  });

  it.each([
    ['exit 3', 'it ended with 3'],
    ['echo nonsense', 'its answer is not a JSON object'],
    ['sleep 60', 'it took longer than 200 ms'],
    [`printf '{"decision":"perhaps"}'`, 'gave the decision "perhaps"'],
    ['/nonexistent/guard', 'it ended with 127'],
  ])('that fails (%s) refuses the call', async (command, problem) => {
    const model = await calling(
      { 'before-tool': [{ command, ...(command.startsWith('sleep') && { timeoutMs: 200 }) }] },
      time,
    );
    const { json } = await model.ask('what time is it?');
    expect(JSON.stringify(json())).toContain(JSON.stringify(problem).slice(1, -1));
    expect(json()).toMatchObject({ toolResults: [{ result: { ok: false, error: { reason: 'denied' } } }] });
  });

  it('can permit nothing: what has to be asked is still asked', async () => {
    const model = await calling({ 'before-tool': [{ command: `printf '{"decision":"allow"}'` }] }, write);
    const { json } = await model.ask('write it', '--approve=never');
    expect(json()).toMatchObject({ toolResults: [{ result: { ok: false, error: { reason: 'denied' } } }] });
  });

  it('gets the tool, its arguments, the session and the workspace', async () => {
    const model = await calling({}, time);
    const hook = keeping(model, '{}');
    model.home.config({ hooks: { 'before-tool': [{ command: hook.command }] } });
    await model.ask('what time is it?');
    expect(hook.told()).toEqual([
      {
        event: 'before-tool',
        workspace: model.home.workspace,
        tool: 'time.now',
        args: {},
        sessionId: expect.stringMatching(/^session-/),
        turnId: expect.stringMatching(/^turn-/),
      },
    ]);
  });
});

describe('after-tool', () => {
  it('gets the result, and can add a text for the model', async () => {
    const model = await calling({}, time);
    const hook = keeping(model, '{"tell":"the linter found 2 problems"}');
    model.home.config({ hooks: { 'after-tool': [{ command: hook.command }] } });
    const { json } = await model.ask('what time is it?');
    expect(json()).toMatchObject({ result: expect.stringContaining('the linter found 2 problems') });
    expect(hook.told()).toMatchObject([{ event: 'after-tool', tool: 'time.now', result: { ok: true } }]);
  });

  it('is not run for a call that never was', async () => {
    const model = await calling({}, write);
    const hook = keeping(model, '{}');
    model.home.config({ hooks: { 'after-tool': [{ command: hook.command }] } });
    await model.ask('write it', '--approve=never');
    expect(hook.told()).toEqual([]);
  });
});

describe('session-start and turn-end', () => {
  it('run once for a conversation and once for each turn; a failure is a notice', async () => {
    const model = await calling({});
    const hook = keeping(model, '');
    const both = [{ command: hook.command }];
    model.home.config({ hooks: { 'session-start': both, 'turn-end': [...both, { command: 'echo no >&2; exit 1' }] } });
    const first = await model.ask('hello');
    await model.ask('hello again');
    expect(hook.told().map(({ event }) => event)).toEqual(['session-start', 'turn-end', 'turn-end']);
    expect(hook.told()[1]).toMatchObject({ sessionKey: 'main', success: true, answer: 'last: undefined' });
    expect(first.code).toBe(0);
    expect(first.stderr).toContain('the turn-end hook "echo no >&2; exit 1" failed: it ended with 1: no');
  });
});

describe('notification', () => {
  it('runs when a person is asked', async () => {
    const model = await calling({}, write);
    const hook = keeping(model, '');
    model.home.config({ hooks: { notification: [{ command: hook.command }] } });
    const running = model.startOnTerminal('write it');
    await running.saw('[y] once');
    await running.write('y\r');
    await running.ended;
    expect(hook.told()).toMatchObject([{ event: 'notification', tool: 'file_write', sessionKey: 'main' }]);
    expect(readFileSync(join(model.home.workspace, 'a.txt'), 'utf8')).toBe('hello');
  });

  it('that fails is a notice', async () => {
    const model = await calling({ notification: [{ command: 'exit 3' }] }, write);
    const running = model.startOnTerminal('write it');
    await running.saw('[y] once');
    await running.write('y\r');
    const { stdout, stderr } = await running.ended;
    expect(stdout + stderr).toContain('the notification hook "exit 3" failed: it ended with 3');
  });
});

it('a workspace brings no hooks', async () => {
  const model = await calling({}, time);
  const evil = JSON.stringify({ hooks: { 'turn-end': [{ command: `touch '${join(model.home.base, 'ran')}'` }] } });
  for (const path of ['config.json', '.lainclaw/config.json', '.lainclaw/hooks.json']) model.home.file(path, evil);
  await model.ask('what time is it?');
  expect(existsSync(join(model.home.base, 'ran'))).toBe(false);
});

it.each([
  [{ 'before-tools': [] }],
  [{ 'before-tool': [{ comand: 'x' }] }],
  [{ 'turn-end': [{ command: 'x', tools: ['bash'] }] }],
  [{ 'turn-end': [{ command: 'x', timeoutMs: 0 }] }],
  ['echo'],
])('%j is refused with what is accepted', async (hooks) => {
  const model = await modelFor('openai-compatible', []);
  mkdirSync(model.home.path, { recursive: true });
  writeFileSync(join(model.home.path, 'config.json'), JSON.stringify({ hooks }));
  const { code, stderr } = await lainclaw(['ask', 'hi'], model);
  expect(code).not.toBe(0);
  expect(stderr).toContain('an object of before-tool, after-tool, turn-end, session-start, notification');
});
