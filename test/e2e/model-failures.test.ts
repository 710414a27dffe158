// A provider that fails, in every way it can: the turn ends with a code and a sentence that says what to do, the session
// stays whole, the next question works, and no secret is revealed.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Fault, Reply } from '../fakes/model-server/reply.ts';
import type { Home } from '../support/home.ts';
import { type Finished, lainclaw, startLainclaw } from '../support/lainclaw.ts';
import {
  bytesBefore,
  CODEX_PROFILE,
  filesHolding,
  KEY,
  type Model,
  modelFor,
  PROVIDERS,
  settingsFor,
  signInToCodex,
} from '../support/model-providers.ts';
import { afterFile, testHome } from '../support/test-home.ts';
import { structureProblems } from '../support/transcript-rules.ts';

const failing = (fault: Fault): Reply => ({ fault });

/** The turn is reported as failed everywhere: exit code, result, stderr, transcript. */
function expectFailed({ code, stderr, json }: Finished, home: Home, failure: string): string {
  expect(code).toBe(1);
  const result = json();
  expect(result).toMatchObject({
    success: false,
    stage: 'failed',
    result: '',
    toolCalls: [],
    error: { code: failure },
  });
  const message = result.success ? '' : result.error.message;
  expect(stderr).toContain(`error ${failure}: ${message}`);
  const lines = home.lines();
  expect(structureProblems(lines)).toEqual([]);
  expect(lines.at(-1)).toMatchObject({ type: 'turn-end', outcome: 'failed', error: { code: failure } });
  expect(lines.at(-2)).toMatchObject({ type: 'message', message: { role: 'user' } });
  expect(lines.some(({ type }) => type === 'tool-call')).toBe(false);
  return message;
}

async function expectNextAskWorks({ follow, ask, server }: Model): Promise<void> {
  follow([{ text: 'Here I am.' }]);
  expect((await ask('still there?')).json()).toMatchObject({ success: true, result: 'Here I am.' });
  expect(server.violations).toEqual([]);
}

describe.concurrent('a credential', () => {
  it.each(['openai', 'anthropic', 'openai-compatible'] as const)(
    'that %s does not accept is reported with a command that repairs it, and is quoted nowhere',
    async (provider) => {
      const good = 'key-that-works-00417';
      const body = { error: { message: `Incorrect API key provided: ${KEY}. Bearer ${KEY}`, code: 'invalid_api_key' } };
      const model = await modelFor(provider, [failing({ kind: 'status', status: 401, body }), { text: 'Welcome.' }]);
      const { home, server, env, flags } = model;
      const finished = await model.ask('hello');
      const message = expectFailed(finished, home, 'PROVIDER_AUTH');
      expect(server.requests).toHaveLength(1);
      expect(finished.stdout + finished.stderr).not.toContain(KEY);
      expect(filesHolding(home.base, KEY)).toEqual([]);

      const [, command = ''] = /lainclaw (auth login .*? --api-key-stdin[^(]*)/.exec(message) ?? [];
      const { [keyVariable(env)]: _key, ...keyless } = env;
      const repaired = await lainclaw(command.trim().split(' '), { home, env: keyless, stdin: good });
      expect({ command, ...repaired }).toMatchObject({ code: 0, stderr: '' });
      const again = await lainclaw(['ask', ...flags, 'hello'], { home, env: keyless });
      expect(again.json()).toMatchObject({ success: true, result: 'Welcome.' });
      expect(JSON.stringify(server.requests.at(-1)?.headers)).toContain(good);
    },
  );

  it.each([
    ['openai', /auth login openai --api-key-stdin.*OPENAI_API_KEY/],
    ['anthropic', /auth login anthropic --api-key-stdin.*ANTHROPIC_API_KEY/],
    ['openai-codex', /lainclaw auth login openai-codex/],
  ])('that is missing for %s is reported with the command that gets one', async (provider, advice) => {
    const home = testHome();
    const finished = await lainclaw(['ask', '--provider', provider, 'hello'], { home });
    expect(expectFailed(finished, home, 'PROVIDER_AUTH')).toMatch(advice);
  });

  it('of a profile that does not exist is not replaced by another', async () => {
    const { ask, home, server } = await modelFor('openai', [{ text: 'Never.' }]);
    const message = expectFailed(await ask('hello', '--profile', 'openai:other'), home, 'PROVIDER_AUTH');
    expect(message).toMatch(/"openai:other".*lainclaw auth status/);
    expect(server.requests).toEqual([]);
  });

  it('with characters no key has is refused before it is sent, and not quoted', async () => {
    const { home, server, env, flags } = await modelFor('openai', []);
    const key = 'two words-7Qx2mVb91\u0001';
    const finished = await lainclaw(['ask', ...flags, 'hello'], { home, env: { ...env, OPENAI_API_KEY: key } });
    expect(expectFailed(finished, home, 'PROVIDER_AUTH')).toContain('OPENAI_API_KEY');
    expect(finished.stdout + finished.stderr).not.toContain('7Qx2mVb91');
    expect(server.requests).toEqual([]);
  });

  it('of one provider is not asked of another: a session can continue with another one', async () => {
    const { ask, home, server } = await modelFor('openai-codex', [
      { text: 'One.' },
      { text: 'Two.' },
      { text: 'Three.' },
    ]);
    expect((await ask('one')).json()).toMatchObject({ result: 'One.', profileId: CODEX_PROFILE });
    const { flags, env } = settingsFor('openai', server.url);
    const elsewhere = (await lainclaw(['ask', ...flags, 'two'], { home, env })).json();
    expect(elsewhere).toMatchObject({ success: true, result: 'Two.', provider: 'openai' });
    expect(elsewhere.profileId).toBeUndefined();
    expect((await ask('three')).json()).toMatchObject({ result: 'Three.', profileId: CODEX_PROFILE });
    expect(server.violations).toEqual([]);
  });

  it('is in auth-profiles.json and nowhere else', async () => {
    const { home, server } = await modelFor('openai', [{ text: 'Hello.' }, failing({ kind: 'status', status: 400 })]);
    const env = { LAINCLAW_OPENAI_BASE_URL: `${server.url}/v1` };
    const outputs = [
      await lainclaw(['auth', 'login', 'openai', '--api-key-stdin'], { home, env, stdin: `${KEY}\n` }),
      await lainclaw(['ask', '--provider', 'openai', 'hello'], { home, env }),
      await lainclaw(['ask', '--provider', 'openai', '--text', 'again'], { home, env }),
      await lainclaw(['auth', 'status'], { home, env: { ...env, ANTHROPIC_API_KEY: KEY } }),
      await lainclaw(['doctor'], { home, env: { ...env, ANTHROPIC_API_KEY: KEY } }),
    ];
    expect(outputs.map(({ code }) => code)).toEqual([0, 0, 1, 0, 0]);
    expect(
      [...server.requests, ...server.lookups].every(({ headers }) => headers.authorization === `Bearer ${KEY}`),
    ).toBe(true);
    for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toContain(KEY);
    expect(filesHolding(home.base, KEY)).toEqual(['home/auth-profiles.json']);
    expect([...server.requests, ...server.lookups].every(({ path }) => !path.includes(KEY))).toBe(true);
  });
});

describe.concurrent('a service that is busy', () => {
  it('is asked again when it said to, and the turn succeeds', async () => {
    const busy = failing({ kind: 'status', status: 429, headers: { 'retry-after-ms': '30' } });
    const { ask, server, home } = await modelFor('anthropic', [busy, { text: 'Now.' }]);
    const { code, stdout, stderr } = await ask('hello', '--text');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Now.\n' });
    expect(stderr).toMatch(/too many requests.*asking again/i);
    expect(server.requests).toHaveLength(2);
    expect(home.messages().map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(server.violations).toEqual([]);
  });

  it('for longer than a person would wait is reported at once, with how long', async () => {
    const { ask, home, server } = await modelFor('openai-codex', [failing({ kind: 'status', status: 429 })]);
    expect(expectFailed(await ask('hello'), home, 'PROVIDER_RATE_LIMIT')).toMatch(/60 min/);
    expect(server.requests).toHaveLength(1);
  });

  it('can be given up with Ctrl-C while waiting to ask it again', async () => {
    const model = await modelFor('openai', () =>
      failing({ kind: 'status', status: 503, headers: { 'retry-after': '50' } }),
    );
    const running = model.start('hello', '--text');
    await running.saw('asking again in 50 s');
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(model.home.lines().at(-1)).toMatchObject({ type: 'turn-end', outcome: 'cancelled' });
    await expectNextAskWorks(model);
  });
});

describe.concurrent('a service that keeps failing', () => {
  const round: Reply = { text: 'Look: ', toolCalls: [{ name: 'fs_read_file', args: { path: 'a.txt' } }] };
  const inChat = bytesBefore('xt\\"}', 'openai-compatible', round);
  // The call is whole by then; only the finish marker is not.
  const atTheEnd = bytesBefore('"type":"response.completed"', 'openai', round);
  const cases = [
    ['openai-codex', { kind: 'status', status: 500 }, 'PROVIDER_OVERLOADED', /overloaded or failing/],
    ['openai-compatible', { kind: 'cut', afterBytes: inChat }, 'PROVIDER_NETWORK', /connection to .* failed/],
    ['openai-compatible', { kind: 'end-early', afterBytes: inChat }, 'PROVIDER_PROTOCOL', /before it was complete/],
    ['openai', { kind: 'end-early', afterBytes: atTheEnd }, 'PROVIDER_PROTOCOL', /before it was complete/],
    ['anthropic', { kind: 'malformed-frame', at: 5 }, 'PROVIDER_PROTOCOL', /not JSON/],
  ] as const;

  // All of them at once, because each waits a while before it gives up.
  it('is asked five times, then the turn fails with its reason; none of its calls is run', async () => {
    const broken = await Promise.all(
      cases.map(([provider, fault]) => modelFor(provider, () => ({ ...round, fault: { ...fault } }))),
    );
    for (const { home } of broken) home.file('a.txt', 'alpha\n');
    const nobody = await nobodyThere();
    const homes = { named: testHome(), unnamed: testHome() };
    const flags = ['ask', '--provider', 'openai-compatible', '--base-url', nobody];
    const [named, unnamed, ...finished] = await Promise.all([
      lainclaw([...flags, '--model', 'fake', 'hello'], { home: homes.named }),
      lainclaw([...flags, 'hello'], { home: homes.unnamed }),
      ...broken.map(({ ask }) => ask('read a.txt')),
    ]);
    for (const [index, [, , failure, words]] of cases.entries()) {
      const { home, server } = broken[index] as Model;
      const message = expectFailed(finished[index] as Finished, home, failure);
      expect(message).toMatch(words);
      expect(message).toContain('asked 5 times');
      expect(server.requests).toHaveLength(5);
    }
    expect(expectFailed(named, homes.named, 'PROVIDER_NETWORK')).toMatch(/ECONNREFUSED.*server running/);
    expect(expectFailed(unnamed, homes.unnamed, 'PROVIDER_NETWORK')).toContain(nobody);
    await Promise.all(broken.map(expectNextAskWorks));
  });
});

describe.concurrent('a service that says no', () => {
  it.each(PROVIDERS)('%s: a refusal is an error and nothing of it is the result', async (provider) => {
    const model = await modelFor(provider, [{ text: 'I was about to', finish: 'refused' }]);
    const finished = await model.ask('something odd');
    expect(expectFailed(finished, model.home, 'PROVIDER_REFUSED')).toMatch(/refused/);
    expect(finished.stdout).not.toContain('I was about to');
    expect(model.server.requests).toHaveLength(1);
    await expectNextAskWorks(model);
  });

  it('to the model: tells where to look for others', async () => {
    const { ask, home } = await modelFor('openai-compatible', [], { models: ['another'] });
    expect(expectFailed(await ask('hello'), home, 'PROVIDER_REFUSED')).toMatch(/fake.*lainclaw models/);
  });

  it('to the length of a single question: tells so after what could be left out was', async () => {
    const { ask, home, server } = await modelFor('anthropic', () => failing({ kind: 'context-length' }));
    const message = expectFailed(await ask('hello'), home, 'PROVIDER_CONTEXT_LENGTH');
    expect(message).toMatch(/new session|larger context/);
    expect(server.requests).toHaveLength(1);
  });

  it('in the address: it must be one, and may hold no password', async () => {
    const home = testHome();
    const at = (url: string) => lainclaw(['ask', '--provider', 'openai-compatible', '--base-url', url, 'x'], { home });
    const secret = await at('http://me:hunter2-7Qx2@127.0.0.1:1/v1');
    expect(expectFailed(secret, home, 'PROVIDER_REFUSED')).toContain('lainclaw auth login');
    expect(secret.stdout + secret.stderr).not.toContain('hunter2-7Qx2');
    expect((await at('localhost:1234')).code).toBe(2);
  });
});

describe('an answer without an end', () => {
  const long = `again ${'x'.repeat(20_000)}`;
  const endless: [string, Reply][] = [
    ['text', { text: ['Begun. ', long, 'never'] }],
    ['a tool call', { toolCalls: [{ name: 'file_read', args: { path: long } }] }],
  ];
  it.each(PROVIDERS.flatMap((provider) => endless.map(([what, reply]) => [what, provider, reply] as const)))(
    'of %s from %s is ended once, and the next question works',
    async (_, provider, reply) => {
      const model = await modelFor(provider, [{ ...reply, fault: { kind: 'endless', words: 'again' } }]);
      const finished = await model.ask('hello');
      expect(expectFailed(finished, model.home, 'PROVIDER_PROTOCOL')).toContain('did not stop answering');
      expect(model.asked).toHaveLength(1);
      await expectNextAskWorks(model);
    },
  );
});

describe.concurrent('Ctrl-C', () => {
  const reply: Reply = { text: ['Begun ', 'and ', 'going ', 'on.'] };
  it.each([
    ['before the answer began', undefined, ''],
    ['in the middle of the answer', bytesBefore('going', 'openai-compatible', reply), 'Begun'],
  ])('%s ends the turn as cancelled, and the next question works', async (_name, afterBytes, shown) => {
    const reached = Promise.withResolvers<void>();
    const model = await modelFor('openai-compatible', () => {
      reached.resolve();
      return { ...reply, fault: { kind: 'hang', afterBytes } };
    });
    const running = model.start('hello', '--text');
    await reached.promise;
    if (shown) await running.saw(shown);
    running.kill('SIGINT');
    const { code, stderr } = await running.ended;
    expect(code).toBe(130);
    expect(stderr).toContain('CANCELLED');
    expect(structureProblems(model.home.lines())).toEqual([]);
    expect(model.home.lines().at(-1)).toMatchObject({ type: 'turn-end', outcome: 'cancelled' });
    expect(model.home.messages().map(({ role }) => role)).toEqual(['user']);
    await expectNextAskWorks(model);
  });

  it('works while a server is slow to tell its models', async () => {
    const { port, server } = await listening();
    const asked = new Promise((resolve) => server.once('request', resolve));
    const running = startLainclaw(
      ['ask', '--provider', 'openai-compatible', '--base-url', `http://127.0.0.1:${port}/v1`, 'hello'],
      { home: testHome() },
    );
    await asked;
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
  });

  it('on a terminal ends the turn the same way', async () => {
    const afterBytes = bytesBefore('going', 'anthropic', reply);
    const model = await modelFor('anthropic', [{ ...reply, fault: { kind: 'hang', afterBytes } }]);
    const running = model.startOnTerminal('hello');
    await running.saw('Begun');
    running.write('\x03');
    expect((await running.ended).code).toBe(130);
    expect(model.home.lines().at(-1)).toMatchObject({ type: 'turn-end', outcome: 'cancelled' });
    await expectNextAskWorks(model);
  });
});

describe.concurrent('a sign-in file', () => {
  it('that is damaged is reported, and not overwritten by asking', async () => {
    const home = testHome();
    signInToCodex(home);
    const path = `${home.path}/auth-profiles.json`;
    writeFileSync(path, '{"version":1,"key-7Qx2');
    const finished = await lainclaw(['ask', '--provider', 'openai-codex', 'hello'], { home });
    expect(expectFailed(finished, home, 'PROVIDER_AUTH')).toMatch(/damaged.*auth login openai-codex/);
    expect(finished.stdout + finished.stderr).not.toContain('7Qx2');
    expect(readFileSync(path, 'utf8')).toContain('key-7Qx2');
  });
});

function keyVariable(env: Record<string, string>): string {
  return Object.keys(env).find((name) => name.endsWith('_API_KEY')) ?? '';
}

async function nobodyThere(): Promise<string> {
  const { port, close } = await listening();
  await close();
  return `http://127.0.0.1:${port}/v1`;
}

/** A server that takes requests and never answers. */
async function listening() {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  afterFile(() => close());
  return { port, server, close };
}
