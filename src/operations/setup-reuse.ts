// The sign-in of another program on this machine, used when the person asks for it and not looked at before.
import { AuthError } from '../adapters/auth/auth-error.ts';
import { type CodexSignIn, codexFileOf, readCodexFile } from '../adapters/auth/codex-file.ts';
import type { CredentialSource } from '../adapters/auth/credential.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { defineOperation } from './operation.ts';
import { objectWith, TEXT, TIME } from './schemas.ts';

export const REUSABLE_PROGRAMS = ['codex', 'claude'] as const;
export type ReusableProgram = (typeof REUSABLE_PROGRAMS)[number];

const CLAUDE_REFUSED =
  'The sign-in of Claude Code cannot be used here: Anthropic permits the tokens of its subscriptions in its own programs only, and refuses them elsewhere. Make an API key at https://console.anthropic.com/settings/keys, then: lainclaw auth login anthropic --api-key-stdin';

export const findReusable = defineOperation({
  name: 'setup.reusable',
  class: 'read',
  summary: 'Read the sign-in of Codex or Claude Code on this machine, and tell which provider it works with.',
  input: {
    type: 'object',
    properties: { program: { enum: REUSABLE_PROGRAMS } },
    required: ['program'],
    additionalProperties: false,
  },
  output: objectWith({ provider: TEXT, path: TEXT }, { email: TEXT, expiresAt: TIME }),
  async run({ program }, { runtime }) {
    const path = reusableFile(program, runtime);
    const found = await readCodexFile(path);
    if (found.kind === 'api-key') return { provider: providerOf(found), path };
    const { email, expiresAt } = found;
    return { provider: providerOf(found), path, ...(email && { email }), ...(expiresAt && { expiresAt }) };
  },
});

/** What a request to this provider is made with. Throws AuthError. */
export async function reusedAccess(
  program: ReusableProgram,
  provider: string,
  runtime: Runtime,
): Promise<{ key: string } | { credentials: CredentialSource }> {
  const path = reusableFile(program, runtime);
  const found = await readCodexFile(path);
  if (providerOf(found) !== provider)
    throw new AuthError('AUTH_NOTHING_TO_REUSE', `The sign-in in ${path} is for ${providerOf(found)}, not ${provider}`);
  if (found.kind === 'api-key') return { key: found.key };
  const { access: secret, accountId } = found;
  return {
    credentials: {
      credential: async () => ({ ok: true, kind: 'oauth', secret, accountId }),
      profileFor: async () => undefined,
      baseUrlFor: async () => undefined,
    },
  };
}

/** Makes it the sign-in of its provider: a token stays where it is, an API key is copied. Returns the profile. */
export async function storeReused(program: ReusableProgram, runtime: Runtime): Promise<string> {
  const { auth } = await runtime.modelServices();
  const path = reusableFile(program, runtime);
  const found = await readCodexFile(path);
  const profile =
    found.kind === 'api-key'
      ? await auth.login({ provider: 'openai', method: 'api-key', key: found.key })
      : await auth.login({ provider: 'openai-codex', method: 'borrowed', path });
  return profile.profileId;
}

function reusableFile(program: ReusableProgram, { environment }: Runtime): string {
  if (program === 'claude') throw new AuthError('AUTH_NOT_REUSABLE', CLAUDE_REFUSED);
  return codexFileOf(environment);
}

function providerOf({ kind }: CodexSignIn): 'openai' | 'openai-codex' {
  return kind === 'api-key' ? 'openai' : 'openai-codex';
}
