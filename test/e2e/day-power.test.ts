// The plug is pulled in the middle of a turn that came from the phone; after the next start nothing that was acknowledged is gone, what was
// running is reported and not repeated, and the phone gets its answer.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startModelServer } from '../fakes/model-server/model-server.ts';
import { startTelegramServer } from '../fakes/telegram-server/telegram-server.ts';
import { eventually } from '../support/eventually.ts';
import { gatewayHome } from '../support/gateway-service.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { KEY } from '../support/model-providers.ts';
import { afterFile } from '../support/test-home.ts';

const ADA = { id: 7, first_name: 'Ada' };

it('12:00 pulls the plug in the middle of a turn; starts again', async () => {
  const telegram = await startTelegramServer();
  afterFile(() => telegram.close());
  const asked: string[] = [];
  const server = await startModelServer({
    anonymous: true,
    script: ({ messages }) => {
      const last = JSON.stringify(messages.at(-1));
      asked.push(last);
      if (last.includes('deploy it'))
        return { toolCalls: [{ name: 'bash', args: { command: 'echo deployed >> log.txt' } }] };
      // The plug is pulled while the model thinks about the result.
      if (JSON.stringify(messages).includes('deploy it') && !last.includes('plans'))
        return { text: 'x', fault: { kind: 'hang' } };
      return { text: `Noted: ${messages.length}` };
    },
  });
  afterFile(() => server.close());
  const { home, gateway, status } = gatewayHome();
  const env = { LAINCLAW_API_KEY: KEY };
  home.config({ provider: 'openai-compatible', baseUrl: `${server.url}/v1`, model: 'fake' });
  const bot = { botToken: telegram.token, apiRoot: telegram.url, pairingPolicy: 'allowlist', pairingAllowFrom: ['7'] };
  const settings = {
    version: 1,
    default: { mode: 'auto', workspace: home.workspace, debounceMs: 0 },
    channels: { telegram: bot },
  };
  writeFileSync(join(home.path, 'gateway.json'), JSON.stringify(settings));
  const start = async (): Promise<void> => {
    const started = await gateway(['start', '--daemon', '--channel=telegram'], { env });
    expect(started.code, started.stderr).toBe(0);
  };
  const phone = (): string[] => telegram.messages(7).map(({ text }) => text);
  const log = (): string => readFileSync(join(home.workspace, 'log.txt'), 'utf8');

  await start();
  telegram.userSays({ chatId: 7, from: ADA, text: 'remember the milk' });
  await eventually(() => expect(phone()).toEqual([expect.stringContaining('Noted')]));
  expect((await lainclaw(['ask', 'at the terminal'], { home, env })).json()).toMatchObject({ success: true });
  telegram.userSays({ chatId: 7, from: ADA, text: 'deploy it' });
  await eventually(() => expect(phone().at(-1)).toContain('✓ bash'), 30_000);
  expect(log()).toBe('deployed\n');

  process.kill((await status()).pid, 'SIGKILL');
  telegram.userSays({ chatId: 7, from: ADA, text: 'and the plans?' });
  await start();
  await eventually(() => expect(phone().at(-1)).toContain('Noted'), 30_000);
  const [milk, deployed, plans, ...more] = phone();
  expect(milk).toContain('Noted');
  // In the place of the progress that was shown before.
  expect(deployed).toContain('I was interrupted');
  expect(deployed).toContain('was done');
  expect(plans).toContain('Noted');
  expect(more).toEqual([]);
  expect(phone().join('\n')).not.toContain('⏳');
  expect(log()).toBe('deployed\n');
  expect(asked.filter((last) => last.includes('deploy it'))).toHaveLength(1);
  const shown = await lainclaw(['sessions', 'show', 'telegram:7', '--json'], { home });
  const told = JSON.stringify(shown.json<{ messages: unknown[] }>().messages);
  for (const words of ['remember the milk', 'deploy it', 'echo deployed', 'and the plans?'])
    expect(told).toContain(words);
  const ownSession = await lainclaw(['sessions', 'show', 'main', '--json'], { home });
  expect(ownSession.stdout).toContain('at the terminal');
});
