import { describe } from 'vitest';
import { describeAdapter } from '../../../test/conformance/adapter.ts';
import type { Subject } from '../../../test/conformance/adapter-subject.ts';
import { codexToken } from '../../../test/fakes/model-server/codex-token.ts';
import { startModelServer } from '../../../test/fakes/model-server/model-server.ts';
import { memoryOwnerFiles } from '../../../test/support/memory-owner-files.ts';
import { createModelLimits } from '../model-limits.ts';
import { findProvider } from '../providers/all.ts';
import { createPiAdapter } from './pi-adapter.ts';

const SECRET = 'key-7Qx2mVb91LkTtR4w';

async function subject(name: string, path: string, secret: string): Promise<Subject> {
  const provider = findProvider(name);
  if (!provider) throw new Error(`no provider ${name}`);
  const server = await startModelServer({
    script: [],
    accept: (token) => token === secret,
    asMistral: name === 'mistral',
  });
  const adapter = createPiAdapter({
    provider,
    endpoint: async () => ({ ok: true, provider, baseUrl: server.url + path }),
    limits: createModelLimits({ files: memoryOwnerFiles(), now: Date.now }),
    windows: { known: async () => ({ isOpen: false }), lookUp: async () => undefined },
    credentials: {
      credential: async () => ({ ok: true, kind: 'api-key', secret, accountId: 'account-fake' }),
      profileFor: async () => undefined,
      baseUrlFor: async () => undefined,
    },
    defaultModel: async () => ({ id: provider.model ?? 'fake-model' }),
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
  // The other protocols are broken off at every byte in test/e2e/model-cut.test.ts.
  describeAdapter('anthropic', () => subject('anthropic', '', SECRET), { cutEvery: 1 });
  describeAdapter('openai-compatible', () => subject('openai-compatible', '/v1', SECRET));
  describeAdapter('gemini', () => subject('gemini', '/v1beta/openai', SECRET));
  describeAdapter('mistral', () => subject('mistral', '', SECRET));
  describeAdapter('xai', () => subject('xai', '/v1', SECRET));
});
