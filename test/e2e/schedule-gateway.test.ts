// Jobs inside the gateway, as a process: added while it runs, run to the second, answered into a chat.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunSummary } from '../../src/schedule/summary.ts';
import { eventually } from '../support/eventually.ts';
import { runningGateway } from '../support/gateway-service.ts';
import { lainclaw } from '../support/lainclaw.ts';

it('a job is run by the gateway and answers in a chat the owner has listed, and in no other', async () => {
  const { home, gateway } = await runningGateway('--send-allow=local:anna');
  const schedule = (...args: string[]) => lainclaw(['schedule', ...args], { home });
  const history = async (name: string) => (await schedule('history', name)).json<RunSummary[]>();
  const sent = (): string => {
    try {
      return readFileSync(join(home.path, 'channels', 'local', 'outbox.jsonl'), 'utf8');
    } catch {
      return '';
    }
  };
  const soon = new Date(Math.ceil(Date.now() / 1_000 + 4) * 1_000).toISOString().replace('.000', '');
  const listed = await schedule('add', 'tea', '--at', soon, '--message', 'Tea time', '--inject-into', 'local:anna');
  expect(listed.json()).toMatchObject({ gatewayRunning: true });
  expect(listed.stderr).toBe('');
  await schedule('add', 'spam', '--at', soon, '--message', 'Spam time', '--inject-into', 'local:stranger');
  await eventually(async () => expect(await history('tea')).toMatchObject([{ status: 'ok', delivery: 'sent' }]));
  await eventually(() => expect(sent()).toContain('Tea time'));
  await eventually(async () => expect(await history('spam')).toMatchObject([{ status: 'ok', delivery: 'failed' }]));
  expect(sent()).not.toContain('Spam time');

  // HEARTBEAT.md is taken up while it runs, without a restart.
  writeFileSync(
    join(home.path, 'workspace', 'HEARTBEAT.md'),
    '## beat\ncron: "* * * * * *"\nmessage: Look\n'.replaceAll('"', '`'),
  );
  await eventually(async () => expect((await history('beat')).some(({ status }) => status === 'ok')).toBe(true));
  expect((await gateway(['stop'])).json()).toMatchObject({ stopped: true, how: 'drained' });
  const ended = await history('beat');
  expect(ended.every(({ status }) => status !== 'running')).toBe(true);
});
