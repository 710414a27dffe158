// The whole gateway as a process on the local channel, with a model behind HTTP, ended and killed at exact moments.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AuditLine } from '../../src/storage/audit.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { eventually } from '../support/eventually.ts';
import { runGatewayKills } from '../support/gateway-kills.ts';
import type { GatewayProcessOptions } from '../support/gateway-process.ts';
import type { Home } from '../support/home.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { createLocalGateway, type LocalGateway, type OutboxLine } from '../support/local-gateway.ts';
import { afterFile, testHome } from '../support/test-home.ts';

interface Started {
  home: Home;
  gateway: LocalGateway;
  server: ModelServer;
  asked: NeutralRequest[];
  start(): Promise<void>;
  write(text: string, more?: object): void;
}

async function prepared(
  script: (request: NeutralRequest, index: number) => Reply | Promise<Reply>,
  options: Partial<GatewayProcessOptions> = {},
): Promise<Started> {
  const home = testHome();
  const asked: NeutralRequest[] = [];
  const server = await startModelServer({
    script: (request) => {
      asked.push(request);
      return script(request, asked.length - 1);
    },
  });
  const gateway = createLocalGateway(home);
  afterFile(async () => {
    await gateway.end('SIGKILL');
    await server.close();
  });
  let written = 0;
  return {
    home,
    gateway,
    server,
    asked,
    start: () => gateway.start({ baseUrl: `${server.url}/v1`, ...options }),
    write(text, more = {}) {
      written += 1;
      gateway.write({ id: `m${written}`, chatId: 'anna', senderId: 'anna', text, ...more });
    },
  };
}

const users = ({ messages }: NeutralRequest): string[] =>
  messages.flatMap((message) => (message.role === 'user' ? [message.text] : []));
/** A person sees these, in this order. On a slow machine an answer takes the place of the turn's progress. */
const says =
  (...texts: string[]) =>
  (lines: OutboxLine[]): boolean => {
    const shown = new Map(lines.map(({ messageId, markdown }) => [messageId, markdown])).values();
    return texts.every((text) => shown.some((markdown) => markdown.includes(text)));
  };
const forever = (): Promise<Reply> => new Promise(() => {});

it('answers what is written, each message once, whatever kills it', { timeout: 180_000 }, async () => {
  const report = await runGatewayKills({
    home: testHome(),
    chats: 12,
    messages: 6,
    kills: 5,
    seed: 7,
    lifeMs: 1_500,
    patienceMs: 150_000,
  });
  expect(report).toMatchObject({ written: 72, handledOnce: 72, lost: [], repeated: [], outOfOrder: [] });
});

it('asks again what was interrupted before it did anything, and tells the model once', async () => {
  const { gateway, asked, start, write } = await prepared((_request, index) =>
    index === 1 ? forever() : { text: `reply ${index}` },
  );
  await start();
  write('first');
  await gateway.until(says('reply 0'));
  write('second');
  await until(() => asked.length === 2);
  await gateway.end('SIGKILL');
  await start();
  await gateway.until(says('reply 0', 'reply 2'));
  expect(asked).toHaveLength(3);
  expect(users(asked[2] as NeutralRequest)).toEqual(['first', 'second']);
});

it('does not repeat what had an effect: it says what was running', async () => {
  const { home, gateway, asked, start, write } = await prepared(
    () => ({ toolCalls: [{ name: 'bash', args: { command: 'echo ran >> count.txt; sleep 60' } }] }),
    { turn: { mode: 'auto' } },
  );
  const count = join(home.workspace, 'count.txt');
  await start();
  write('do it');
  // The shell makes the file before it writes into it.
  await until(() => existsSync(count) && readFileSync(count, 'utf8') !== '');
  await gateway.end('SIGKILL');
  await start();
  const isExplanation = ({ markdown = '' }: { markdown?: string }): boolean =>
    markdown.includes('the outcome is unknown');
  // A slow machine shows the progress of the turn before it is killed; the explanation follows.
  const said = (await gateway.until((lines) => lines.some(isExplanation))).find(isExplanation)?.markdown;
  expect(said).toContain('echo ran >> count.txt');
  expect(asked).toHaveLength(1);
  expect(readFileSync(count, 'utf8')).toBe('ran\n');
});

it('asks again what nobody had allowed before a kill: nothing of it ran', async () => {
  const { home, gateway, start, write } = await prepared((request) =>
    request.messages.some(({ role }) => role === 'tool')
      ? { text: 'It is done.' }
      : { toolCalls: [{ name: 'bash', args: { command: 'touch made.txt' } }] },
  );
  await start();
  write('make it');
  await gateway.until((all) => all.some(({ buttons }) => buttons !== undefined));
  await gateway.end('SIGKILL');
  await start();
  const questions = (
    await gateway.until((all) => all.filter(({ buttons }) => buttons !== undefined).length === 2)
  ).filter(({ buttons }) => buttons !== undefined);
  const { buttons, messageId } = questions[1] ?? {};
  write('', { pressed: { value: buttons?.find(({ label }) => label === 'Once')?.value, messageId } });
  const said = await gateway.until((all) => all.some(({ markdown }) => markdown === 'It is done.'));
  expect(JSON.stringify(said)).not.toContain('I was interrupted');
  expect(existsSync(join(home.workspace, 'made.txt'))).toBe(true);
});

it('asks for permission in the chat, and runs what was allowed by a button', async () => {
  const { home, gateway, start, write } = await prepared((request) =>
    request.messages.some(({ role }) => role === 'tool')
      ? { text: 'It is done.' }
      : { toolCalls: [{ name: 'bash', args: { command: 'touch made.txt' } }] },
  );
  await start();
  write('make it');
  const lines = await gateway.until((all) => all.some(({ buttons }) => buttons !== undefined));
  const question = lines.find(({ buttons }) => buttons !== undefined);
  expect(question?.markdown).toContain('```\ntouch made.txt\n```');
  expect(existsSync(join(home.workspace, 'made.txt'))).toBe(false);
  const value = question?.buttons?.find(({ label }) => label === 'Once')?.value;
  write('', { pressed: { value, messageId: question?.messageId } });
  await gateway.until((all) => all.some(({ markdown }) => markdown === 'It is done.'));
  expect(existsSync(join(home.workspace, 'made.txt'))).toBe(true);
  const audit = (await lainclaw(['audit', 'show'], { home })).json<{ lines: AuditLine[] }>().lines;
  const shortly = audit.map(({ kind, who, what, outcome }) => `${kind} ${what} ${outcome} by ${who}`);
  expect(shortly).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^approval bash allowed by .+ \(chat\)$/),
      expect.stringMatching(/^tool-call bash allowed by local:anna/),
      'message local:anna allowed by lainclaw',
    ]),
  );
  expect((await lainclaw(['audit', 'verify'], { home })).json()).toMatchObject({ isSound: true });
});

it('takes up what is written while a turn works, after the running call, and answers both once', async () => {
  const { home, gateway, asked, start, write } = await prepared(
    ({ messages }) => {
      const last = JSON.stringify(messages.at(-1));
      if (last.includes('half up')) return { text: 'Half up it is.' };
      if (last.includes('thanks')) return { text: 'Gladly.' };
      const command = 'touch begun; while [ ! -e go-on ]; do sleep 0.05; done; echo rounded';
      return { text: 'I round half to even.', toolCalls: [{ name: 'bash', args: { command } }] };
    },
    { turn: { mode: 'auto' } },
  );
  await start();
  write('round the totals');
  await until(() => existsSync(join(home.workspace, 'begun')));
  write('no, half up');
  write('/status');
  const status = (
    await gateway.until((lines) => lines.some(({ markdown = '' }) => markdown.includes('1 message waiting')))
  )
    .map(({ markdown }) => markdown)
    .join();
  expect(status).toContain('1 message waiting');
  home.file('go-on', '');
  await gateway.until(says('Half up it is.'));
  write('thanks');
  await gateway.until(says('Half up it is.', 'Gladly.'));
  expect(asked).toHaveLength(3);
  expect(JSON.stringify(asked[1]?.messages)).toMatch(/round the totals.*rounded.*no, half up/);
  await gateway.end('SIGTERM');
  const { stdout } = await lainclaw(['sessions', 'show', 'local:anna'], { home });
  expect(stdout.match(/no, half up/g)).toHaveLength(1);
});

it('starts another conversation with /new, and takes changes back with /undo', async () => {
  const { home, gateway, asked, start, write } = await prepared(
    (request) => {
      const wants = users(request).at(-1) === 'write it';
      const isDone = request.messages.at(-1)?.role === 'tool';
      return wants && !isDone
        ? { toolCalls: [{ name: 'file_write', args: { path: 'note.txt', content: 'hello' } }] }
        : { text: 'fine' };
    },
    { turn: { mode: 'auto' } },
  );
  await start();
  write('write it');
  await gateway.until(says('fine'));
  expect(existsSync(join(home.workspace, 'note.txt'))).toBe(true);
  write('/undo');
  await gateway.until(says('fine', 'Taken back'));
  expect(existsSync(join(home.workspace, 'note.txt'))).toBe(false);
  const before = home.entry('local:anna').sessionId;
  write('/new');
  await gateway.until(says('fine', 'Taken back', 'A new conversation'));
  write('who am I?');
  await gateway.until(says('fine', 'Taken back', 'A new conversation', 'fine'));
  expect(users(asked.at(-1) as NeutralRequest)).toEqual(['who am I?']);
  expect(home.entry('local:anna').sessionId).not.toBe(before);
});

it('gives a file that was sent to the model, and ends in order', async () => {
  const { home, gateway, asked, start, write } = await prepared(() => ({ text: 'read' }));
  const path = home.file('report.txt', 'the figures are good\n');
  await start();
  write('see this', { files: [{ path }] });
  await gateway.until(says('read'));
  expect(users(asked[0] as NeutralRequest)[0]).toMatch(/^see this\n\n\[file saved as inbox\/\S+\/report-\w+\.txt\]/);
  expect(JSON.stringify(asked[0]?.messages)).toContain('the figures are good');
  await gateway.end('SIGTERM');
  expect(gateway.said()).not.toContain('Error');
});

function until(condition: () => boolean): Promise<void> {
  return eventually(() => expect(condition(), String(condition)).toBe(true));
}
