// Lines of the day about what people show the agent. The model answers from what it is sent.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import { errorsOf, openConsole } from '../support/console-browser.ts';
import { dropFiles, pasteFiles } from '../support/console-files.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { makePdf } from '../support/make-pdf.ts';
import { modelFor } from '../support/model-providers.ts';
import { leave, openChat } from '../support/open-chat.ts';
import { testHome } from '../support/test-home.ts';

const SECRET = 'taken at home';
const INVOICE = makePdf([{ lines: ['Net 100 EUR', 'Total 99 EUR'] }]);

function takenScreenshot(): Promise<Buffer> {
  return sharp({ create: { width: 3_840, height: 2_160, channels: 3, background: '#a00' } })
    .jpeg()
    .withExif({ IFD0: { ImageDescription: SECRET } })
    .toBuffer();
}

/** The pictures of a request, as a provider would unpack them. */
function picturesIn({ raw }: NeutralRequest): Buffer[] {
  return [...JSON.stringify(raw).matchAll(/data:image\/\w+;base64,([\w+/=]+)/g)].map(([, data = '']) =>
    Buffer.from(data, 'base64'),
  );
}

it('09:30 pastes a screenshot, drops a PDF: "what is wrong here?": it sees both', async () => {
  const home = testHome();
  const downloads = join(home.base, 'Downloads');
  mkdirSync(downloads);
  writeFileSync(join(downloads, 'screenshot.jpg'), await takenScreenshot());
  writeFileSync(join(downloads, 'invoice.pdf'), INVOICE);
  const seen: NeutralRequest[] = [];
  const opened = await openChat(
    (request) => {
      seen.push(request);
      const [, total = '?'] = /Total (\d+) EUR/.exec(JSON.stringify(request.messages)) ?? [];
      return { text: `${picturesIn(request).length} picture; the total ${total} is less than the net amount.` };
    },
    [],
    { home },
  );
  const { chat, say } = opened;
  await chat.type(`\x1b[200~${join(downloads, 'screenshot.jpg')}\x1b[201~`);
  await chat.shows('[picture 1]');
  await chat.type(`\x1b[200~'${join(downloads, 'invoice.pdf')}'\x1b[201~`);
  await chat.shows('[document 2]');
  await say('what is wrong here?');
  await chat.shows('1 picture; the total 99 is less than the net amount.');
  expect(await leave(opened)).toBe(0);
  const [shown = Buffer.alloc(0)] = seen.flatMap(picturesIn);
  expect(await sharp(shown).metadata()).toMatchObject({ width: 1_568, height: 882 });
  expect(shown.includes(SECRET)).toBe(false);
});

it('09:30 the same in the browser: the screenshot from the clipboard, the PDF with the mouse', async () => {
  const seen: NeutralRequest[] = [];
  const opened = await openConsole({
    script(request) {
      seen.push(request);
      const [, total = '?'] = /Total (\d+) EUR/.exec(JSON.stringify(request.messages)) ?? [];
      return { text: `${picturesIn(request).length} picture; the total ${total} is less than the net amount.` };
    },
  });
  const page = await (await opened.signIn()).newPage();
  const errors = errorsOf(page);
  await page.goto(`${opened.address}#/chat`);
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.waitFor();
  await pasteFiles(page, [{ name: 'image.png', type: 'image/jpeg', buffer: await takenScreenshot() }]);
  await page.getByRole('button', { name: 'Remove image.png' }).waitFor();
  await dropFiles(page, [{ name: 'invoice.pdf', buffer: INVOICE }]);
  await page.getByRole('button', { name: 'Remove invoice.pdf' }).waitFor();
  // Cells of a spreadsheet: their text is pasted, not the picture that comes with it.
  await pasteFiles(page, [{ name: 'cells.png', type: 'image/png', buffer: Buffer.from('no') }], 'Net\t100');
  await message.fill('what is wrong here?');
  expect(await page.getByRole('button', { name: /^Remove / }).count()).toBe(2);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('1 picture; the total 99 is less than the net amount.').waitFor();
  const [shown = Buffer.alloc(0)] = seen.flatMap(picturesIn);
  expect(await sharp(shown).metadata()).toMatchObject({ width: 1_568, height: 882 });
  expect(shown.includes(SECRET)).toBe(false);
  expect(errors).toEqual([]);
});

it('a scan and a photo in the workspace are shown to the model when it reads them', async () => {
  const home = testHome();
  const rgb = Buffer.alloc(30 * 40 * 3, 0x33);
  writeFileSync(join(home.workspace, 'scan.pdf'), makePdf([{ picture: { width: 30, height: 40, rgb } }]));
  writeFileSync(
    join(home.workspace, 'photo.png'),
    await sharp({ create: { width: 20, height: 10, channels: 3, background: '#0a0' } })
      .png()
      .toBuffer(),
  );
  const seen: NeutralRequest[] = [];
  const model = await modelFor(
    'openai-compatible',
    (request) => {
      seen.push(request);
      if (seen.length > 1) return { text: 'I see both.' };
      const call = (path: string) => ({ name: 'file_read', args: { path } });
      return { toolCalls: [call('scan.pdf'), call('photo.png')] };
    },
    { home },
  );
  const { code, stdout } = await lainclaw(['ask', 'what is on them?', '--with-tools', ...model.flags], {
    home,
    env: model.env,
  });
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('I see both.') });
  const pictures = seen.slice(1).flatMap(picturesIn);
  const sizes = await Promise.all(pictures.map(async (picture) => (await sharp(picture).metadata()).height));
  expect(sizes).toEqual([1_568, 10]);
});
