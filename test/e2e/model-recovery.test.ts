// A process that dies in the middle of a turn, at exact points that a waiting server gives: the next turn finds a valid
// transcript, closes what was left open with what is known, tells the model so, and runs nothing again by itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AskResult } from '../../src/pipeline/events.ts';
import { startModelServer } from '../fakes/model-server/model-server.ts';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import type { Home } from '../support/home.ts';
import { bytesBefore, type Model, modelFor, PROVIDERS, type ProviderName } from '../support/model-providers.ts';
import { BEGUN, WRITE_PROCESS } from '../support/model-write-process.ts';
import { afterFile, testHome } from '../support/test-home.ts';
import { structureProblems } from '../support/transcript-rules.ts';

const ROUND: Reply = { text: 'Looking.', toolCalls: [{ name: 'fs_read_file', args: { path: 'a.txt' } }] };
const told = (request: NeutralRequest | undefined): string => JSON.stringify(request?.messages);
const outcomes = (home: Home) => home.lines().flatMap((line) => (line.type === 'turn-end' ? [line.outcome] : []));
const count = (home: Home, type: string) => home.lines().filter((line) => line.type === type).length;

/** A session with one whole turn, and a second one killed as soon as the last reply of the script is being waited for. */
async function killedTurn(provider: ProviderName, input: string, script: Reply[], shown?: string): Promise<Model> {
  const reached = Promise.withResolvers<void>();
  const model = await modelFor(provider, [{ text: 'Hello.' }]);
  model.home.file('a.txt', 'alpha\n');
  await model.ask('hello');
  model.follow((_request, index) => {
    if (index === script.length - 1) reached.resolve();
    return script[index] ?? { text: 'Not asked for.' };
  });
  const running = model.start(input, '--text');
  await reached.promise;
  if (shown) await running.saw(shown);
  running.kill('SIGKILL');
  expect((await running.ended).signal).toBe('SIGKILL');
  return model;
}

async function expectRecovered(model: Model): Promise<NeutralRequest | undefined> {
  const { home, server, asked } = model;
  model.follow([{ text: 'Here again.' }]);
  expect((await model.ask('are you there?')).json()).toMatchObject({
    success: true,
    result: 'Here again.',
    toolCalls: [],
  });
  expect(structureProblems(home.lines())).toEqual([]);
  expect(outcomes(home)).toEqual(['answered', 'interrupted', 'answered']);
  expect(home.messages().at(-1)).toMatchObject({ role: 'assistant', content: 'Here again.' });
  expect(server.violations).toEqual([]);
  return asked.at(-1);
}

describe.concurrent('a process killed', () => {
  const hang = (afterBytes?: number): Reply => ({ fault: { kind: 'hang', afterBytes } });
  /** Never comes further than before this part of it. */
  const until = (part: string, reply: Reply): Reply => ({
    ...reply,
    ...hang(bytesBefore(part, 'openai-compatible', reply)),
  });
  const half = until('of it', { text: ['Half ', 'of it'] });

  it('before the first answer: the question stays, and the next turn continues', async () => {
    const model = await killedTurn('openai-compatible', 'lost?', [hang()]);
    expect(told(await expectRecovered(model))).toMatch(/lost\?.*are you there\?/);
    expect(count(model.home, 'tool-call')).toBe(0);
  });

  it('in the middle of an answer: what was streamed is not an answer', async () => {
    const model = await killedTurn('openai-compatible', 'lost?', [half], 'Half');
    expect(told(await expectRecovered(model))).not.toContain('Half');
  });

  it('in the middle of a call: it is not run, then or later', async () => {
    const model = await killedTurn('openai-compatible', 'read a.txt', [until('xt\\"}', ROUND)], 'Looking.');
    expect(told(await expectRecovered(model))).not.toContain('alpha');
    expect(count(model.home, 'tool-call')).toBe(0);
  });

  it.each(PROVIDERS)('after the results of a round were sent to %s: the next turn gets them', async (provider) => {
    const model = await killedTurn(provider, 'read a.txt', [ROUND, hang()]);
    expect(told(await expectRecovered(model))).toMatch(
      /read a\.txt.*fs_read_file.*alpha.*interrupted.*are you there\?/,
    );
    expect(count(model.home, 'tool-call')).toBe(1);
  });

  it('in the middle of the answer after a round: the results are kept, the half answer is not', async () => {
    const model = await killedTurn('openai-compatible', 'read', [ROUND, half], 'Half');
    const request = told(await expectRecovered(model));
    expect(request).toContain('alpha');
    expect(request).not.toContain('Half');
  });

  it('after a tool was called by hand, before the question about it was answered', async () => {
    const model = await killedTurn('anthropic', 'tool:fs.read_file {"path":"a.txt"}\nwhat is it?', [hang()]);
    expect(told(await expectRecovered(model))).toContain('alpha');
    expect(count(model.home, 'tool-call')).toBe(1);
  });

  it('again and again, leaves each turn closed once', async () => {
    const model = await killedTurn('openai-compatible', 'first try', [ROUND, hang()]);
    const reached = Promise.withResolvers<void>();
    model.follow(() => {
      reached.resolve();
      return hang();
    });
    const running = model.start('second try');
    await reached.promise;
    running.kill('SIGKILL');
    await running.ended;
    model.follow([{ text: 'Third time.' }]);
    expect((await model.ask('third try')).json()).toMatchObject({ result: 'Third time.' });
    expect(outcomes(model.home)).toEqual(['answered', 'interrupted', 'interrupted', 'answered']);
    expect(structureProblems(model.home.lines())).toEqual([]);
    expect(model.server.violations).toEqual([]);
  });
});

describe.concurrent('a call with an effect, interrupted', () => {
  const write = { name: 'test_write', args: {} };
  const read = { name: 'test_read', args: {} };

  function turn(home: Home, url: string, input: string) {
    const child = spawn(process.execPath, [WRITE_PROCESS, home.path, home.workspace, `${url}/v1`, input], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.setEncoding('utf8');
    return child;
  }

  it('is on disk before it begins, is reported as "outcome unknown", and is never run again by itself', async () => {
    const home = testHome();
    const asked: NeutralRequest[] = [];
    const server = await startModelServer({ script: [{ toolCalls: [read, write, read] }] });
    afterFile(() => server.close());
    const stay = home.file('stay', '');

    const first = turn(home, server.url, 'write it');
    const [said] = await once(first.stdout, 'data');
    expect(said).toContain(BEGUN);
    const called = home.lines().filter(({ type }) => type === 'tool-call');
    expect(called).toMatchObject([
      { call: { name: 'test.read' }, effect: 'read' },
      { call: { name: 'test.write', source: 'model' }, effect: 'write' },
    ]);
    first.kill('SIGKILL');
    await once(first, 'close');
    rmSync(stay);

    server.setScript((request) => {
      asked.push(request);
      return { text: 'I will check first.' };
    });
    const second = turn(home, server.url, 'was it written?');
    let output = '';
    second.stdout.on('data', (text: string) => (output += text));
    await once(second, 'close');
    expect(JSON.parse(output) as AskResult).toMatchObject({ success: true, result: 'I will check first.' });

    expect(readFileSync(`${home.workspace}/effects`, 'utf8')).toBe('done\n');
    const results = home.lines().flatMap((line) => (line.type === 'tool-result' ? [line] : []));
    expect(results).toMatchObject([
      { ok: true, text: 'alpha' },
      { ok: false, text: expect.stringContaining('outcome unknown'), error: { reason: 'interrupted' } },
    ]);
    expect(told(asked[0])).toMatch(/test_write.*outcome unknown.*was it written\?/);
    expect(outcomes(home)).toEqual(['interrupted', 'answered']);
    expect(structureProblems(home.lines())).toEqual([]);
    expect(server.violations).toEqual([]);
  });
});

describe.concurrent('two processes on one session', () => {
  it('the second waits for a slow model, and both turns are whole and in order', async () => {
    const reached = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const model = await modelFor('openai-compatible', async (_request, index) => {
      if (index === 0) return ROUND;
      if (index > 1) return { text: 'The second answer.' };
      reached.resolve();
      await release.promise;
      return { text: 'The first answer.' };
    });
    const { home, server, asked } = model;
    home.file('a.txt', 'alpha\n');
    const first = model.start('first question');
    await reached.promise;
    const second = model.start('second question');
    await second.saw('another turn of this session is running');
    expect(asked).toHaveLength(2);
    release.resolve();
    const results = (await Promise.all([first.ended, second.ended])).map((finished) => finished.json());
    expect(results.map(({ result }) => result)).toEqual(['The first answer.', 'The second answer.']);
    expect(told(asked[2])).toMatch(/first question.*alpha.*The first answer\..*second question/);
    expect(outcomes(home)).toEqual(['answered', 'answered']);
    expect(structureProblems(home.lines())).toEqual([]);
    expect(home.messages().map(({ role }) => role)).toEqual(['user', 'system', 'assistant', 'user', 'assistant']);
    expect(server.violations).toEqual([]);
  });

  it('the second continues when the first is killed', async () => {
    const reached = Promise.withResolvers<void>();
    const model = await modelFor('openai-compatible', (_request, index) => {
      if (index > 0) return { text: 'The second answer.' };
      reached.resolve();
      return { fault: { kind: 'hang' } };
    });
    const first = model.start('first question');
    await reached.promise;
    const second = model.start('second question');
    await second.saw('another turn of this session is running');
    first.kill('SIGKILL');
    expect((await second.ended).json()).toMatchObject({ success: true, result: 'The second answer.' });
    expect(model.home.lines().at(-1)).toMatchObject({ type: 'turn-end', outcome: 'answered' });
    expect(model.server.violations).toEqual([]);
  });

  it('other sessions do not wait', async () => {
    const reached = Promise.withResolvers<void>();
    const model = await modelFor('openai-compatible', (_request, index) => {
      if (index > 0) return { text: 'At once.' };
      reached.resolve();
      return { fault: { kind: 'hang' } };
    });
    const slow = model.start('slow', '--session', 'slow');
    await reached.promise;
    expect((await model.ask('quick', '--session', 'quick')).json()).toMatchObject({ result: 'At once.' });
    slow.kill('SIGTERM');
    expect((await slow.ended).json()).toMatchObject({ stage: 'cancelled' });
  });
});
