// A provider of the built binary pointed at the fake model server: the flags, the variables and the sign-in each one
// needs, and what the server received.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codexToken } from '../fakes/model-server/codex-token.ts';
import { type ModelServer, type ModelServerOptions, startModelServer } from '../fakes/model-server/model-server.ts';
import type { Dialect, NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import { replyBytes } from '../fakes/model-server/render-reply.ts';
import type { Reply, Script } from '../fakes/model-server/reply.ts';
import type { Home } from './home.ts';
import { type Finished, lainclaw, type Running, startLainclaw, startTerminal } from './lainclaw.ts';
import { afterFile, testHome } from './test-home.ts';

export const PROVIDERS = ['openai-compatible', 'openai', 'anthropic', 'openai-codex'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** Must never be seen anywhere but in auth-profiles.json. */
export const KEY = 'key-7Qx2mVb91LkTtR4w';
export const CODEX_TOKEN = codexToken('account-fake');
export const CODEX_PROFILE = 'openai-codex:me@example.com';

export interface Model {
  readonly home: Home;
  readonly server: ModelServer;
  /** What the model was asked, told the same way for every provider. */
  readonly asked: NeutralRequest[];
  readonly flags: readonly string[];
  readonly env: Record<string, string>;
  /** One turn, from the flags to its end, whatever that is. */
  ask(input: string, ...flags: string[]): Promise<Finished>;
  start(input: string, ...flags: string[]): Running;
  startOnTerminal(input: string, ...flags: string[]): Running;
  follow(script: Script): void;
}

export interface ModelOptions extends Omit<ModelServerOptions, 'script'> {
  home?: Home;
  env?: Record<string, string>;
}

/** A home signed in to the provider, and a server that follows the script. Both end with the file's tests. */
export async function modelFor(provider: ProviderName, script: Script, options: ModelOptions = {}): Promise<Model> {
  const { home = testHome(), env: more = {}, ...serverOptions } = options;
  const asked: NeutralRequest[] = [];
  const server = await startModelServer({ ...serverOptions, script: noting(script, asked) });
  afterFile(() => server.close());
  const { flags, env } = settingsFor(provider, server.url);
  Object.assign(env, more);
  if (provider === 'openai-codex') signInToCodex(home);
  const args = (input: string, given: string[]): string[] => ['ask', ...flags, ...given, '--', input];
  return {
    home,
    server,
    asked,
    flags,
    env,
    ask: (input, ...given) => lainclaw(args(input, given), { home, env }),
    start: (input, ...given) => startLainclaw(args(input, given), { home, env }),
    startOnTerminal: (input, ...given) => startTerminal(args(input, given), { home, env }),
    follow: (next) => server.setScript(noting(next, asked)),
  };
}

export function settingsFor(provider: ProviderName, url: string): { flags: string[]; env: Record<string, string> } {
  const flags = ['--provider', provider];
  switch (provider) {
    case 'openai-compatible':
      return { flags: [...flags, '--base-url', `${url}/v1`, '--model', 'fake'], env: { LAINCLAW_API_KEY: KEY } };
    case 'openai':
      return { flags, env: { LAINCLAW_OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: KEY } };
    case 'anthropic':
      return { flags, env: { LAINCLAW_ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY } };
    case 'openai-codex':
      return { flags, env: { LAINCLAW_OPENAI_CODEX_BASE_URL: `${url}/backend-api` } };
  }
}

const SPOKEN: Record<ProviderName, { dialect: Dialect; model: string }> = {
  'openai-compatible': { dialect: 'chat', model: 'fake' },
  openai: { dialect: 'responses', model: 'gpt-6-sol' },
  anthropic: { dialect: 'messages', model: 'claude-sonnet-5' },
  'openai-codex': { dialect: 'codex', model: 'gpt-6-sol' },
};

/** How many bytes of the reply come before this part of it: where to hang, or to cut. */
export function bytesBefore(part: string, provider: ProviderName, reply: Reply): number {
  const at = replyBytes(reply, SPOKEN[provider]).indexOf(part);
  if (at < 0) throw new Error(`${provider} does not send "${part}" in this reply`);
  return at;
}

/** As `auth login openai-codex` leaves it. */
export function signInToCodex(home: Home): void {
  const time = '2026-11-01T08:00:00.000Z';
  const profile = {
    kind: 'oauth',
    profileId: CODEX_PROFILE,
    provider: 'openai-codex',
    access: CODEX_TOKEN,
    refresh: 'refresh-Lm3kQw82ZtPx',
    expiresAt: '2099-01-01T00:00:00.000Z',
    accountId: 'account-fake',
    createdAt: time,
    updatedAt: time,
  };
  mkdirSync(home.path, { recursive: true, mode: 0o700 });
  writeFileSync(
    join(home.path, 'auth-profiles.json'),
    JSON.stringify({ version: 1, active: { 'openai-codex': CODEX_PROFILE }, profiles: { [CODEX_PROFILE]: profile } }),
    { mode: 0o600 },
  );
}

/** The files under a directory that hold the text, as paths from it. */
export function filesHolding(directory: string, text: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text))
    .map((path) => path.slice(directory.length + 1));
}

function noting(script: Script, asked: NeutralRequest[]): Script {
  return async (request, index): Promise<Reply> => {
    asked.push(request);
    if (typeof script === 'function') return script(request, index);
    const reply = script[index];
    if (reply) return reply;
    throw new Error(`the script has ${script.length} replies and this is request ${index + 1}`);
  };
}
