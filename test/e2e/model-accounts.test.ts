// Signing in and out, the lists of models, and the doctor, through the built binary. The real sign-in of ChatGPT cannot
// be reached from here: it is tested beside its code.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AuthStatus, ProfileStatus } from '../../src/adapters/auth/auth.ts';
import type { Check } from '../../src/operations/doctor-texts.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import type { Home } from '../support/home.ts';
import { type Finished, lainclaw, runBinary, startTerminal, terminal } from '../support/lainclaw.ts';
import { CODEX_PROFILE, CODEX_TOKEN, modelFor, signInToCodex } from '../support/model-providers.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const KEYS = { openai: 'sk-openai-0123456789abcd', other: 'sk-other-9876543210wxyz' };

const profilesPath = (home: Home): string => join(home.path, 'auth-profiles.json');
const mode = (path: string): number => statSync(path).mode & 0o777;
/** A key is checked against its service before it is stored: here every service accepts every key. */
const service = await startModelServer({ script: () => ({ text: 'Hello.' }), models: ['qwen3'] });
afterFile(() => service.close());
const SERVICES = {
  LAINCLAW_OPENAI_BASE_URL: `${service.url}/v1`,
  LAINCLAW_ANTHROPIC_BASE_URL: service.url,
};
const PLACE = new URL(service.url).host;
const login = (home: Home, provider: string, key: string, ...flags: string[]) =>
  lainclaw(['auth', 'login', provider, '--api-key-stdin', ...flags], { home, stdin: `${key}\n`, env: SERVICES });
const status = async (home: Home, env: Record<string, string> = {}) =>
  (await lainclaw(['auth', 'status'], { home, env })).json<AuthStatus>();
const failure = ({ json }: Finished) => json<{ success: boolean; error: { code: string; message: string } }>();

interface Examined {
  healthy: boolean;
  checks: Check[];
}
const NOBODY = { OLLAMA_HOST: 'http://127.0.0.1:1' };
const examine = async (home: Home, env: Record<string, string> = {}) => {
  const { code, json } = await lainclaw(['doctor'], { home, env: { ...NOBODY, ...env } });
  const { healthy, checks } = json<Examined>();
  expect(code).toBe(healthy ? 0 : 1);
  return { healthy, of: (name: string) => checks.find((check) => check.name === name), checks };
};

describe.concurrent('auth login with a key', () => {
  it.each([
    ['openai', `openai:${PLACE}`, []],
    ['anthropic', `anthropic:${PLACE}`, []],
    ['openai-compatible', `openai-compatible:${PLACE}`, ['--base-url', `${service.url}/v1`]],
  ])('to %s is stored privately and shown masked', async (provider, profileId, flags) => {
    const home = testHome();
    const finished = await login(home, provider, KEYS.openai, ...flags);
    expect(finished.code).toBe(0);
    const shown = { profileId, provider, kind: 'api-key', active: true, key: '…abcd' };
    expect(finished.json<ProfileStatus>()).toMatchObject(shown);
    expect(mode(profilesPath(home))).toBe(0o600);
    expect(mode(home.path)).toBe(0o700);
    const { profiles } = await status(home);
    expect(profiles).toMatchObject([shown]);
    expect(finished.stdout + finished.stderr + JSON.stringify(profiles)).not.toContain('0123456789');
  });

  it('typed at a terminal is not shown there', async () => {
    const home = testHome();
    const running = startTerminal(['auth', 'login', 'openai', '--api-key-stdin'], { home, env: SERVICES });
    await running.saw('API key (it is not shown; Enter ends it): ');
    await running.write(`${KEYS.openai}\r`);
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    expect(stdout).toContain(`signed in: openai:${PLACE}`);
    expect(stdout).toContain('openai answers from now on');
    expect(stdout).not.toContain(KEYS.openai);
    expect(readFileSync(profilesPath(home), 'utf8')).toContain(KEYS.openai);
  });

  it('given up at a terminal stores nothing', async () => {
    const home = testHome();
    const running = startTerminal(['auth', 'login', 'openai', '--api-key-stdin'], { home });
    await running.saw('Enter ends it): ');
    await running.write('sk-half\x03');
    expect((await running.ended).code).toBe(130);
    expect(existsSync(profilesPath(home))).toBe(false);
  });

  it('is private under any umask, and made private again when it is not', async () => {
    const home = testHome();
    const wrapper = ['sh', '-c', 'umask 0; exec "$@"', 'sh'];
    await runBinary(['auth', 'login', 'openai', '--api-key-stdin'], {
      home,
      stdin: KEYS.openai,
      wrapper,
      env: SERVICES,
    });
    expect([mode(profilesPath(home)), mode(home.path)]).toEqual([0o600, 0o700]);
    chmodSync(profilesPath(home), 0o644);
    await status(home);
    expect(mode(profilesPath(home))).toBe(0o600);
  });

  it('is what the provider is asked with from then on', async () => {
    const { home, server } = await modelFor('anthropic', [{ text: 'Hello.' }], {
      accept: (token) => token === KEYS.other,
    });
    await login(home, 'anthropic', `  ${KEYS.other}  `, '--base-url', server.url, '--profile', 'mine');
    const { json } = await lainclaw(['ask', 'hello'], { home });
    expect(json()).toMatchObject({ success: true, result: 'Hello.', provider: 'anthropic', profileId: 'mine' });
  });

  it.each([
    ['empty', ''],
    ['blank', ' \n\t'],
    ['two words', 'sk-one sk-two'],
    ['two lines', 'sk-one\nsk-two'],
    ['a character no header can hold', 'sk-ключ'],
  ])('that is %s is refused, and nothing is stored', async (_name, key) => {
    const home = testHome();
    const finished = await login(home, 'openai', key);
    expect(finished.code).toBe(1);
    expect(failure(finished)).toMatchObject({ success: false, error: { code: 'AUTH_BAD_KEY' } });
    expect(existsSync(profilesPath(home))).toBe(false);
  });

  it('is refused where another way to sign in is needed, with that way', async () => {
    const home = testHome();
    const codex = await login(home, 'openai-codex', KEYS.openai);
    expect(codex.code).toBe(1);
    expect(codex.stderr).toMatch(/lainclaw auth login openai-codex$/m);
    const keyless = await lainclaw(['auth', 'login', 'anthropic'], { home });
    expect(keyless.code).toBe(1);
    expect(keyless.stderr).toContain('lainclaw auth login anthropic --api-key-stdin');
    expect(existsSync(profilesPath(home))).toBe(false);
  });

  it('to a provider that does not exist tells which there are', async () => {
    const finished = await login(testHome(), 'nope', KEYS.openai);
    expect(finished.code).not.toBe(0);
    expect(finished.stderr).toMatch(/"nope".*openai-codex, openai, anthropic, gemini.*openai-compatible/);
  });

  it('for one server is not sent to another', async () => {
    const { home, server } = await modelFor('openai-compatible', () => ({ text: 'Hello.' }), { anonymous: true });
    const elsewhere = await startModelServer({ script: () => ({ text: 'Elsewhere.' }), anonymous: true });
    afterFile(() => elsewhere.close());
    const stored = await login(home, 'openai-compatible', KEYS.openai, '--base-url', `${server.url}/v1`);
    expect(stored.json<ProfileStatus>()).toMatchObject({ baseUrl: `${server.url}/v1`, active: true });
    const ask = (url: string) =>
      lainclaw(['ask', '--provider', 'openai-compatible', '--model', 'fake', '--base-url', `${url}/v1`, 'hello'], {
        home,
      });
    expect((await ask(server.url)).json()).toMatchObject({ result: 'Hello.' });
    expect((await ask(elsewhere.url)).json()).toMatchObject({ result: 'Elsewhere.' });
    const sent = ({ lookups, requests }: ModelServer) =>
      new Set([...lookups, ...requests].map(({ headers }) => headers.authorization));
    expect([sent(server), sent(elsewhere)]).toEqual([new Set([`Bearer ${KEYS.openai}`]), new Set([undefined])]);
  });

  it('keeps a damaged file aside, and does not forget a newer one', async () => {
    const home = testHome();
    mkdirSync(home.path, { recursive: true });
    writeFileSync(profilesPath(home), '{"version":1,"prof');
    expect((await lainclaw(['auth', 'status'], { home })).code).toBe(1);
    expect((await login(home, 'openai', KEYS.openai)).code).toBe(0);
    const [aside = ''] = readdirSync(home.path).filter((name) => name.includes('damaged'));
    expect(readFileSync(join(home.path, aside), 'utf8')).toBe('{"version":1,"prof');

    writeFileSync(profilesPath(home), '{"version":2,"future":true}');
    const newer = await login(home, 'openai', KEYS.openai);
    expect(newer.code).toBe(1);
    expect(newer.stderr).toMatch(/newer.*upgrade/);
    expect(readFileSync(profilesPath(home), 'utf8')).toBe('{"version":2,"future":true}');
  });
});

describe.concurrent('auth status', () => {
  it('shows profiles and keys of the environment, and nothing that could be used', async () => {
    const home = testHome();
    signInToCodex(home);
    const env = { OPENAI_API_KEY: KEYS.openai, ANTHROPIC_API_KEY: 'short' };
    const found = await status(home, env);
    expect(found.profiles).toMatchObject([{ profileId: CODEX_PROFILE, kind: 'oauth', active: true, expired: false }]);
    expect(found.environment).toEqual([
      { provider: 'openai', variable: 'OPENAI_API_KEY', key: '…abcd' },
      { provider: 'anthropic', variable: 'ANTHROPIC_API_KEY', key: '…' },
    ]);
    const shown = await terminal(['auth', 'status'], { home, env });
    expect(shown.stdout).toMatch(/\* +openai-codex:me@example\.com/);
    for (const text of [JSON.stringify(found), shown.stdout]) {
      for (const secret of [CODEX_TOKEN, 'refresh-Lm3kQw82ZtPx', KEYS.openai, 'short'])
        expect(text).not.toContain(secret);
    }
  });

  it('of nobody says how to sign in', async () => {
    const home = testHome();
    expect(await status(home)).toMatchObject({ profiles: [], environment: [] });
    expect((await terminal(['auth', 'status'], { home })).stdout).toContain('lainclaw auth login openai-codex');
  });
});

describe.concurrent('auth use and logout', () => {
  async function twoProfiles(): Promise<Home> {
    const home = testHome();
    const keep = (key: string, profile: string) =>
      lainclaw(['auth', 'login', 'openai', '--api-key-stdin', '--no-check', '--profile', profile], {
        home,
        stdin: key,
      });
    await keep(KEYS.openai, 'work');
    await keep(KEYS.other, 'home');
    return home;
  }
  const active = async (home: Home) =>
    (await status(home)).profiles.filter((profile) => profile.active).map(({ profileId }) => profileId);
  const auth = (home: Home, ...args: string[]) => lainclaw(['auth', ...args], { home });

  it('use chooses the profile that is asked with, --profile another for one turn', async () => {
    const home = await twoProfiles();
    const { server } = await modelFor('openai', () => ({ text: 'Hello.' }), { home });
    const env = { LAINCLAW_OPENAI_BASE_URL: `${server.url}/v1` };
    const ask = async (...flags: string[]) =>
      (await lainclaw(['ask', '--provider', 'openai', ...flags, 'hello'], { home, env })).json().profileId;
    expect(await active(home)).toEqual(['home']);
    expect((await auth(home, 'use', 'work')).json<ProfileStatus>()).toMatchObject({ profileId: 'work', active: true });
    expect([await ask(), await ask('--profile', 'home'), await ask()]).toEqual(['work', 'home', 'work']);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(
      [KEYS.openai, KEYS.other, KEYS.openai].map((key) => `Bearer ${key}`),
    );
  });

  it('a profile that does not exist is refused with those that do', async () => {
    const home = await twoProfiles();
    for (const command of ['use', 'logout']) {
      const { code, stderr } = await auth(home, command, 'wrok');
      expect(code).toBe(1);
      expect(stderr).toMatch(/"wrok".*work, home/);
    }
    expect((await status(home)).profiles).toHaveLength(2);
  });

  it('a name taken by another provider is refused', async () => {
    const home = await twoProfiles();
    const { code, stderr } = await login(home, 'anthropic', KEYS.other, '--profile', 'work');
    expect(code).toBe(1);
    expect(stderr).toMatch(/"work" belongs to openai/);
  });

  it('logout forgets one, leaves another in use, and its key is gone from the disk', async () => {
    const home = await twoProfiles();
    expect((await auth(home, 'logout', 'home')).json()).toEqual({ removed: ['home'] });
    expect(await active(home)).toEqual(['work']);
    expect(readFileSync(profilesPath(home), 'utf8')).not.toContain(KEYS.other);
  });

  it('logout without a name is clear when there is one, and refused when there are several or none', async () => {
    const home = await twoProfiles();
    const several = await auth(home, 'logout');
    expect(several.code).toBe(2);
    expect(several.stderr).toMatch(/--all.*work, home/);
    expect((await auth(home, 'logout', 'work', '--all')).code).toBe(2);
    await auth(home, 'logout', 'home');
    expect((await auth(home, 'logout')).json()).toEqual({ removed: ['work'] });
    expect((await auth(home, 'logout')).code).toBe(2);
  });

  it('logout --all forgets everyone, also when nobody is there', async () => {
    const home = await twoProfiles();
    expect((await auth(home, 'logout', '--all')).json()).toEqual({ removed: ['work', 'home'] });
    expect((await auth(home, 'logout', '--all')).json()).toEqual({ removed: [] });
    expect(readFileSync(profilesPath(home), 'utf8')).not.toMatch(/sk-/);
  });
});

describe.concurrent('models', () => {
  interface Listed {
    provider: string;
    models: { id: string; isDefault: boolean; price?: { input: number; output: number }; contextWindow?: number }[];
    problem?: string;
  }
  const models = (home: Home, args: string[], env: Record<string, string> = {}) =>
    lainclaw(['models', ...args], { home, env });

  it.each(['openai-codex', 'openai', 'anthropic'])(
    'of %s are known without a network or a sign-in',
    async (provider) => {
      const { code, json } = await models(testHome(), [provider]);
      expect(code).toBe(0);
      const [listed] = json<Listed[]>();
      expect(listed?.problem).toBeUndefined();
      expect(listed?.models.filter(({ isDefault }) => isDefault)).toMatchObject([
        { contextWindow: expect.any(Number), price: { input: expect.any(Number), output: expect.any(Number) } },
      ]);
    },
  );

  it('of an openai-compatible server are its own, asked with the key', async () => {
    const { home, server, env } = await modelFor('openai-compatible', [], { models: ['qwen3', 'llama'] });
    const args = ['openai-compatible', '--base-url', `${server.url}/v1`];
    expect((await models(home, args, env)).json<Listed[]>()).toEqual([
      {
        provider: 'openai-compatible',
        models: [
          { id: 'qwen3', isDefault: true },
          { id: 'llama', isDefault: false },
        ],
      },
    ]);
    const refused = await models(home, args);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('lainclaw auth login openai-compatible --api-key-stdin');
  });

  it('of all providers: one that is not running is a remark, not a failure', async () => {
    const env = { LAINCLAW_BASE_URL: 'http://127.0.0.1:1/v1', NO_COLOR: '1' };
    const { code, stdout } = await terminal(['models'], { home: testHome(), env });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^openai-codex {2}gpt-6-sol and \d+ more; lainclaw auth login openai-codex\n[\s\S]*\nanthropic {2}claude[\s\S]*\nopenai-compatible .*127\.0\.0\.1:1/,
    );
  });

  it('of a provider that does not exist: tells which there are', async () => {
    const { code, stderr } = await models(testHome(), ['nope']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/UNSUPPORTED_PROVIDER.*"nope".*anthropic/);
  });
});

describe.concurrent('doctor', () => {
  it('finds a new home healthy, makes nothing, and tells how to sign in', async () => {
    const home = testHome();
    const { healthy, of, checks } = await examine(home);
    expect(healthy).toBe(true);
    expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(['node', 'home', 'config', 'workspace']));
    expect(of('sign-in')).toMatchObject({ state: 'advice', fix: expect.stringContaining('lainclaw auth login') });
    expect(of('ollama')).toBeUndefined();
    expect(home.transcripts()).toEqual([]);
  });

  it('tells who is signed in', async () => {
    const home = testHome();
    signInToCodex(home);
    const { of } = await examine(home, { OPENAI_API_KEY: KEYS.openai });
    expect(of('sign-in')).toMatchObject({ state: 'ok', message: CODEX_PROFILE });
    expect(of('sign-in')?.fix).toBeUndefined();
    expect(of('provider')).toMatchObject({ message: 'openai-codex' });
    expect(of('key')).toMatchObject({
      state: 'advice',
      message: expect.stringMatching(/OPENAI_API_KEY.*openai-codex answers: it is not used/),
      fix: 'lainclaw config set provider openai',
    });
    const using = await examine(home, { OPENAI_API_KEY: KEYS.openai, LAINCLAW_PROVIDER: 'openai' });
    expect(using.of('key')).toBeUndefined();
  });

  it.each([
    ['settings that cannot be read', 'config', (home: Home) => home.config('{"provder":1}'), {}],
    ['a workspace that is not there', 'workspace', () => {}, { LAINCLAW_WORKSPACE: '/no/such/place' }],
    ['a home that is a file', 'home', () => {}, { LAINCLAW_HOME: '/etc/passwd/home' }],
    [
      'a damaged sign-in file',
      'sign-in',
      (home: Home) => {
        signInToCodex(home);
        writeFileSync(profilesPath(home), '{');
      },
      {},
    ],
  ])('finds %s, with what repairs it, and still checks the rest', async (_name, check, damage, env) => {
    const home = testHome();
    damage(home);
    const { healthy, of } = await examine(home, env as Record<string, string>);
    expect(healthy).toBe(false);
    expect(of(check)).toMatchObject({ state: 'problem', message: expect.any(String), fix: expect.any(String) });
    expect(of('node')).toMatchObject({ state: 'ok' });
  });

  it('on a terminal shows a line for each check and the fix below', async () => {
    const { code, stdout } = await terminal(['doctor'], { home: testHome(), env: { ...NOBODY, NO_COLOR: '1' } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/✓ node[\s\S]*! sign-in .*\n +fix: lainclaw auth login/);
  });
});

describe('a local Ollama', () => {
  it('is suggested by the doctor and by the stub, with a command that works', async () => {
    const home = testHome();
    const server = await startModelServer({ script: () => ({ text: 'Local.' }), anonymous: true, models: ['qwen3'] });
    afterFile(() => server.close());
    const env = { OLLAMA_HOST: server.url };
    const { of } = await examine(home, env);
    const command = /lainclaw (ask .*) "hello"/.exec(of('ollama')?.message ?? '')?.[1] ?? '';
    expect(command).toBe('ask --model ollama/qwen3');
    const { json } = await lainclaw([...command.split(' '), 'hello'], { home, env });
    expect(json()).toMatchObject({ success: true, result: 'Local.', model: 'qwen3' });

    const stub = startTerminal(['ask', 'hello'], { home, env });
    expect((await stub.ended).stdout).toContain('lainclaw ask --model ollama/qwen3');
    expect(server.violations).toEqual([]);
  });

  it('without a model names what to get', async () => {
    const server = await startModelServer({ script: [], anonymous: true, models: [] });
    afterFile(() => server.close());
    const { healthy, of } = await examine(testHome(), { OLLAMA_HOST: server.url });
    expect(healthy).toBe(true);
    expect(of('ollama')).toMatchObject({ state: 'advice', fix: expect.stringContaining('ollama pull') });
  });
});
