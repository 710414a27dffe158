// What a person sees without looking for it: their own message, the field that a dialog begins in, the tool that a link names.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { type ConsoleBrowser, LONGEST_COMMAND_MS, openConsole } from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';

const PHONE = { width: 390, height: 844 };
const LONG = Array.from({ length: 60 }, (_, index) => `${index + 1}. a line of a long answer`).join('\n');

const WAITING = 'for i in 1 2 3 4 5 6; do echo "step $i"; done; sleep 600';

let opened: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  opened = await openConsole({
    script: ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'tool') return { text: 'Over.' };
      return JSON.stringify(last).includes('wait')
        ? {
            toolCalls: [{ name: 'bash', args: { command: WAITING, timeoutMs: LONGEST_COMMAND_MS } }],
          }
        : { text: LONG };
    },
  });
  page = await (await opened.signIn()).newPage();
});

async function ask(text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}

const answered = (count: number) =>
  eventually(async () =>
    expect(await page.getByRole('button', { name: 'Ask again', exact: true }).count()).toBeGreaterThanOrEqual(count),
  );

it('a message is in view once it is sent, also when its writer had scrolled up', async () => {
  await page.goto(`${opened.address}#/chat`);
  await ask('the first question');
  await answered(1);
  const list = page.getByRole('log');
  await list.evaluate((element) => element.scrollTo(0, 0));
  await page.getByRole('button', { name: 'To the newest message' }).waitFor();
  await ask('the second question');
  await eventually(async () => {
    const question = page.getByText('the second question', { exact: true });
    const [shown, place] = [await question.boundingBox(), await list.boundingBox()];
    if (!shown || !place) throw new Error('it is not drawn');
    expect(shown.y).toBeLessThan(place.y + place.height);
  });
});

it('typing goes into the palette and into a dialog as soon as they are open', async () => {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Commands' }).waitFor();
  await page.keyboard.type('sched');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
  await page.getByRole('button', { name: 'New job' }).click();
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.waitFor();
  await page.keyboard.type('brief');
  expect(await name.inputValue()).toBe('brief');
  await page.keyboard.press('Escape');
});

it('a link to a tool leads to its form', async () => {
  await page.goto(`${opened.address}#/tools/schedule_add`);
  const button = page.getByRole('button', { name: 'Run it' });
  await button.waitFor();
  await eventually(async () => expect((await button.boundingBox())?.y).toBeLessThan(800));
});

it('on a phone the buttons to stop and to send are beside each other, and the meter below them', async () => {
  await page.setViewportSize(PHONE);
  await page.goto(`${opened.address}#/chat`);
  await ask('wait a while');
  const stop = page.getByRole('button', { name: 'Stop', exact: true });
  const send = page.getByRole('button', { name: 'Send to the running turn' });
  await stop.waitFor();
  await page.locator('.meter', { hasText: '%' }).waitFor();
  const [first, second] = [await stop.boundingBox(), await send.boundingBox()];
  expect(first?.y).toBe(second?.y);
  expect((second?.x ?? PHONE.width) + (second?.width ?? 0)).toBeLessThanOrEqual(PHONE.width);
  const meter = await page.locator('.meter', { hasText: '%' }).boundingBox();
  expect(meter?.y).toBeGreaterThanOrEqual((second?.y ?? PHONE.height) + (second?.height ?? 0));
  await stop.click();
});
