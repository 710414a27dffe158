import { expect, it, onTestFinished } from 'vitest';
import { startFakeIssuer } from '../../test/fakes/sign-in-issuer.ts';
import { testOperations } from '../../test/support/test-operations.ts';

it('the sign-in to ChatGPT tells a program the code, and waits until it was typed in', async () => {
  const issuer = await startFakeIssuer();
  onTestFinished(() => issuer.close());
  const told: string[] = [];
  const warn = (text: string): void => {
    told.push(text);
    if (text.includes('ABCD-EFGH')) issuer.approveDevice();
  };
  const { checked } = await testOperations({ warn, variables: { LAINCLAW_OPENAI_CODEX_ISSUER: issuer.url } });
  const { output, problem } = await checked('sign-in.chatgpt', {});
  expect(problem).toBeUndefined();
  expect(output).toMatchObject({ becameDefault: true, profile: { provider: 'openai-codex' } });
  expect(told.join('\n')).toContain(`${issuer.url}/codex/device`);
  for (const secret of issuer.secrets) expect(JSON.stringify([output, told])).not.toContain(secret);
});
