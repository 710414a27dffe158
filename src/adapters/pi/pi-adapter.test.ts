import { describe } from 'vitest';
import { codexToken } from '../../../test/fakes/model-server/codex-token.ts';
import { startModelServer } from '../../../test/fakes/model-server/model-server.ts';
import { describeAdapter } from '../conformance.ts';
import type { Subject } from '../conformance-subject.ts';
import { findProvider, signInAdvice } from '../provider-table.ts';
import { createPiAdapter } from './pi-adapter.ts';

const SECRET = 'key-7Qx2mVb91LkTtR4w';

async function subject(name: string, path: string, secret: string): Promise<Subject> {
  const provider = findProvider(name);
  if (!provider) throw new Error(`no provider ${name}`);
  const server = await startModelServer({ script: [], accept: (token) => token === secret });
  const adapter = createPiAdapter({
    ...provider,
    provider: name,
    baseUrl: server.url + path,
    signIn: signInAdvice(provider),
    credentials: {
      credential: async () => ({ ok: true, kind: 'api-key', secret, accountId: 'account-fake' }),
      profileFor: async () => undefined,
    },
    defaultModel: async () => provider.model ?? 'fake-model',
    fetch: globalThis.fetch,
    now: Date.now,
  });
  return {
    adapter,
    secrets: [secret],
    server: {
      follow: (script) => server.setScript(script),
      violations: server.violations,
      clientGone: async () => {
        for (;;) {
          const last = server.requests.at(-1);
          if (last && (await last.ended) === 'client-closed') return;
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      },
      requestCount: () => server.requests.length,
      lastBody: () => JSON.stringify(server.requests.at(-1)?.body),
    },
    close: () => server.close(),
  };
}

describe('over the library', () => {
  describeAdapter('openai-codex', () => subject('openai-codex', '/backend-api', codexToken('account-fake')));
  describeAdapter('openai', () => subject('openai', '/v1', SECRET));
  describeAdapter('anthropic', () => subject('anthropic', '', SECRET));
  describeAdapter('openai-compatible', () => subject('openai-compatible', '/v1', SECRET));
});
