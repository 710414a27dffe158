// The web console in Chromium: how soon it can be used, whether a long conversation scrolls smoothly, how soon a word that left the
// model is on the screen, and what twenty tabs cost the gateway.
import { execFile } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Bench, Figure } from './bench.ts';
import { cleanEnvironment, LAINCLAW, withTemporaryHome } from './commands.ts';

const PROGRAM = '/usr/bin/chromium-headless-shell';
const INTERACTIVE_MS = 1_000;
const FRAME_MS = 34;
const WORD_MS = 30;
const TABS_MB = 20;
const WORD_PAUSE_MS = 15;
/** A fast wheel. */
const PIXELS_A_FRAME = 150;

interface Measured {
  frames: number[];
  blank: number;
}

export const consoleBench: Bench = {
  name: 'console',
  run: (scale) =>
    withTemporaryHome(async (home) => {
      const size = scale === 'full' ? { messages: 10_000, frames: 300, words: 300, tabs: 20 } : QUICK;
      const model = await startWordModel(size.words);
      const env = cleanEnvironment({
        LAINCLAW_HOME: home,
        LAINCLAW_GROQ_BASE_URL: model.url,
        GROQ_API_KEY: 'key-of-a-bench',
      });
      const lainclaw = async (...args: string[]): Promise<string> =>
        (await promisify(execFile)(process.execPath, [LAINCLAW, ...args], { env, maxBuffer: 64 * 1024 * 1024 })).stdout;
      writeFileSync(join(home, 'config.json'), JSON.stringify({ version: 1, provider: 'groq', model: 'words' }));
      await grow(home, size.messages, lainclaw);
      const { url } = JSON.parse(await lainclaw('up', '--port', '0', '--no-open', '--json')) as { url: string };
      const browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox'] });
      try {
        return await measure(browser, url, size, lainclaw);
      } finally {
        await browser.close();
        await lainclaw('gateway', 'stop');
        model.close();
      }
    }),
};

const QUICK = { messages: 200, frames: 20, words: 20, tabs: 2 };

async function measure(
  browser: Browser,
  url: string,
  size: typeof QUICK,
  lainclaw: (...args: string[]) => Promise<string>,
): Promise<Figure[]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const address = new URL('/', url).href;
  await page.goto(url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(address);
  await page.reload();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const interactiveMs = (await page.evaluate('performance.now()')) as number;

  const words = await timeWords(page, address);
  const memory = async (): Promise<number> =>
    (JSON.parse(await lainclaw('gateway', 'status', '--json')) as { memory: { rssBytes: number } }).memory.rssBytes;
  const before = await memory();
  const tabs: Page[] = [];
  for (let count = 0; count < size.tabs; count += 1) {
    const tab = await context.newPage();
    await tab.goto(address);
    await tab.getByRole('heading', { level: 1 }).waitFor();
    tabs.push(tab);
  }
  const tabsMb = ((await memory()) - before) / 1024 ** 2;
  await Promise.all(tabs.map((tab) => tab.close()));

  const { frames, blank } = await scroll(page, address, size);
  return [
    figure('console, until it can be used', interactiveMs, 'ms', INTERACTIVE_MS, 'from a reload to the heading'),
    figure('console, a word on the screen', percentile(words), 'ms', WORD_MS, `95 % of ${words.length} words`),
    figure(`console, a frame while ${size.messages} messages scroll`, percentile(frames), 'ms', FRAME_MS, '95 %'),
    figure('console, frames without a message', blank, 'frames', 0, `of ${frames.length}`),
    figure(`console, ${size.tabs} tabs`, tabsMb, 'MB', TABS_MB, 'resident memory of the gateway'),
  ];
}

function figure(name: string, value: number, unit: string, limit: number, detail: string): Figure {
  return { name, value, unit, limit, detail };
}

/** A model whose every word is the moment at which it left. */
async function startWordModel(words: number): Promise<{ url: string; close(): void }> {
  const server = createServer(async (_request, response) => {
    const say = (choice: object): void =>
      void response.write(
        `data: ${JSON.stringify({ id: 'w', object: 'chat.completion.chunk', model: 'words', choices: [{ index: 0, ...choice }] })}\n\n`,
      );
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let count = 0; count < words; count += 1) {
      say({ delta: { role: 'assistant', content: `${Date.now()} ` } });
      await sleep(WORD_PAUSE_MS);
    }
    say({ delta: {}, finish_reason: 'stop' });
    response.end('data: [DONE]\n\n');
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

async function timeWords(page: Page, address: string): Promise<number[]> {
  await page.goto(`${address}#/chat`);
  await page.evaluate(`
    window.seen = [];
    new MutationObserver(() => {
      const last = document.querySelector('.answer')?.textContent?.trim().split(' ').at(-1);
      if (last && last !== window.lastWord) window.seen.push(Date.now() - Number(last));
      window.lastWord = last;
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  `);
  await page.getByRole('textbox', { name: 'Message' }).fill('words');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
  return ((await page.evaluate('window.seen')) as number[]).filter((took) => Number.isFinite(took));
}

/** From the middle of the whole conversation towards its beginning, at the pace of a fast wheel. */
async function scroll(page: Page, address: string, { messages, frames }: typeof QUICK): Promise<Measured> {
  await page.goto(`${address}#/chat/long`);
  await page.getByRole('log').waitFor();
  for (let loaded = 0; loaded < messages / 2; loaded += 200) {
    await page.evaluate(`document.querySelector('.messages').scrollTop = 0`);
    await page.waitForTimeout(250);
  }
  await page.evaluate(
    `(() => { const list = document.querySelector('.messages'); list.scrollTop = list.scrollHeight / 2; })()`,
  );
  await page.waitForTimeout(500);
  return (await page.evaluate(`new Promise((resolve) => {
    const list = document.querySelector('.messages');
    const place = list.getBoundingClientRect();
    const frames = [];
    let blank = 0;
    let before = performance.now();
    const next = () => {
      const now = performance.now();
      frames.push(now - before);
      before = now;
      const middle = document.elementFromPoint(place.x + place.width / 2, place.y + place.height / 2);
      if (!middle?.closest('.message-row')) blank += 1;
      list.scrollTop -= ${PIXELS_A_FRAME};
      if (frames.length < ${frames} && list.scrollTop > 0) requestAnimationFrame(next);
      else resolve({ frames: frames.slice(1), blank });
    };
    requestAnimationFrame(next);
  })`)) as Measured;
}

/** Begins a session through the program, then appends turns of the same form, each with an id of its own. */
async function grow(home: string, messages: number, lainclaw: (...args: string[]) => Promise<string>): Promise<void> {
  const asked = await lainclaw('ask', '--provider', 'stub', '--session', 'long', '--json', 'how long is this?');
  const { sessionId } = JSON.parse(asked) as { sessionId: string };
  const path = join(home, 'sessions', `${sessionId}.jsonl`);
  const [head = '', ...turn] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const id = /"turnId":"([^"]+)"/.exec(turn.join('\n'))?.[1] ?? '';
  writeFileSync(path, `${head}\n`);
  for (let number = 1; number <= messages / 2; number += 1)
    appendFileSync(path, `${turn.join('\n').replaceAll(id, `${id}-${number}`)}\n`);
}

function percentile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;
}
