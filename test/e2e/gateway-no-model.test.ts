// The gateway and its model: none, one somebody signs in to while it runs, and the limit of steps.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startModelServer } from '../fakes/model-server/model-server.ts';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import { eventually } from '../support/eventually.ts';
import { gatewayHome } from '../support/gateway-service.ts';
import type { Home } from '../support/home.ts';
import { lainclaw, terminal } from '../support/lainclaw.ts';
import { KEY } from '../support/model-providers.ts';
import { afterFile } from '../support/test-home.ts';

const START = ['start', '--daemon', '--channel=local', '--pairing-policy=open'];

let messages = 0;
function write(home: Home, text: string): void {
  messages += 1;
  const line = { id: `m${messages}`, chatId: 'anna', senderId: 'anna', text };
  appendFileSync(join(home.path, 'channels', 'local', 'inbox.jsonl'), `${JSON.stringify(line)}\n`);
}
function answers(home: Home): string[] {
  const path = join(home.path, 'channels', 'local', 'outbox.jsonl');
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { markdown: string }).markdown);
}

it('with no model it says so in its log and status, and chats get one neutral sentence; a sign-in connects it', async () => {
  const { home, gateway, log, status } = gatewayHome({ hasModel: false });
  expect((await gateway(START)).code).toBe(0);
  expect(log()).toMatch(/"event":"no-model".*lainclaw auth login/);
  expect(await status()).toMatchObject({ noModel: true });
  expect((await terminal(['gateway', 'status'], { home })).stdout).toContain('no model is connected');
  write(home, 'good morning');
  await eventually(() => expect(answers(home)).toEqual(['I cannot answer at the moment: no model is connected.']));

  const server = await startModelServer({ script: () => ({ text: 'Hello, Anna.' }), models: ['gpt-6-sol'] });
  afterFile(() => server.close());
  const args = ['auth', 'login', 'openai', '--api-key-stdin', '--base-url', `${server.url}/v1`];
  expect((await lainclaw(args, { home, stdin: KEY })).code).toBe(0);
  await eventually(async () => expect(await status()).not.toHaveProperty('noModel'));
  write(home, 'good morning');
  await eventually(() => expect(answers(home).at(-1)).toBe('Hello, Anna.'));
});

it('a turn has 25 steps; at the limit the chat says so, and /continue continues it', async () => {
  let asked = 0;
  const server = await startModelServer({
    script: ({ messages: told }) => {
      // Continued where it stopped: with the result of the last call, and no other question.
      if (asked === 25 && told.at(-1)?.role === 'tool') return { text: 'Finished.' };
      asked += 1;
      return { text: 'Working.', toolCalls: [{ name: 'tools_echo', args: { step: asked } }] };
    },
    models: ['fake'],
    anonymous: true,
  });
  afterFile(() => server.close());
  const { home, gateway } = gatewayHome({ hasModel: false });
  home.config({ provider: 'openai-compatible', model: 'fake', baseUrl: `${server.url}/v1` });
  expect((await gateway(START)).code).toBe(0);
  write(home, 'do it');
  await eventually(() =>
    expect(answers(home).at(-1)).toContain('The limit of 25 steps was reached. Send `/continue` to continue.'),
  );
  expect(asked).toBe(25);
  write(home, '/continue');
  await eventually(() => expect(answers(home).at(-1)).toBe('Finished.'));
  write(home, '/help');
  await eventually(() => expect(answers(home).at(-1)).toContain('/continue'));
});

it('a long chat is summarised by itself: the chat says so once, and what was said is in the summary', async () => {
  let summaries = 0;
  const asked: NeutralRequest[] = [];
  const server = await startModelServer({
    script(request) {
      if (request.system[0]?.startsWith('You summarise')) {
        summaries += 1;
        return { text: 'They talked about the garden and the roses.' };
      }
      asked.push(request);
      return { text: `Answer ${asked.length}. ${'word '.repeat(150)}` };
    },
    models: ['fake'],
    anonymous: true,
  });
  afterFile(() => server.close());
  const { home, gateway } = gatewayHome({ hasModel: false });
  home.config({ provider: 'openai-compatible', model: 'fake', baseUrl: `${server.url}/v1`, contextWindow: 8_000 });
  expect((await gateway(START)).code).toBe(0);
  for (let turn = 1; turn <= 14; turn += 1) {
    write(home, turn === 1 ? 'My name is Anna and I live in Lisbon.' : `Question ${turn}. ${'word '.repeat(200)}`);
    await eventually(() => expect(answers(home).at(-1)).toContain(`Answer ${turn}.`));
  }
  expect(summaries).toBeGreaterThan(0);
  const told = answers(home).filter((answer) =>
    /Messages \d+ to \d+ of this conversation were summarised/.test(answer),
  );
  expect(told).toHaveLength(summaries);
  const [first] = asked.at(-1)?.messages ?? [];
  expect(first?.text).toMatch(/talked about the garden[\s\S]*My name is Anna and I live in Lisbon\./);
});
