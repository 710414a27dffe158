// fs.read_file on documents and pictures of a real workspace.
import { writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePdf } from '../../../test/support/make-pdf.ts';
import { createYard, type Yard } from '../../../test/workspace-race/yard.ts';
import { createWorkspace } from '../../workspace/confined.ts';
import type { ToolArgs, ToolContext, ToolOutput } from '../tool.ts';
import { createReadFileTool } from './read-file.ts';
import { nothingSeen } from './seen.ts';

let yard: Yard;
let context: ToolContext;
beforeEach(async () => {
  yard = createYard();
  context = {
    workspace: await createWorkspace({ root: yard.root }),
    seen: nothingSeen,
    signal: new AbortController().signal,
    now: () => 0,
  } as unknown as ToolContext;
});
afterEach(() => yard.remove());

const put = (path: string, content: string | Buffer): void => writeFileSync(`${yard.root}/${path}`, content);
const read = (args: ToolArgs): Promise<ToolOutput> => createReadFileTool().execute(args, context);

describe('file_read of a document', () => {
  it('shows a PDF by page, whatever its name', async () => {
    put('letter.bin', makePdf([{ lines: ['Dear Anna,'] }, { lines: ['Yours'] }]));
    expect((await read({ path: 'letter.bin', pages: '2' })).text).toBe(
      '[PDF document; 2 pages; page 2 follows]\n--- page 2 ---\nYours\n',
    );
    const { data } = await read({ path: 'letter.bin' });
    expect(data).toMatchObject({ path: 'letter.bin', document: 'PDF document', parts: { unit: 'page', count: 2 } });
  });

  it('shows pages as pictures when asked', async () => {
    put('plan.pdf', makePdf([{ lines: ['A plan'] }]));
    const { pictures, text } = await read({ path: 'plan.pdf', view: 'picture' });
    expect(pictures).toMatchObject([{ mediaType: 'image/png' }]);
    expect(text).toContain('A plan');
  });

  it('says what is wrong with one that cannot be read, and with a page that is not there', async () => {
    put('locked.pdf', makePdf([{ lines: ['x'] }], { isLocked: true }));
    put('one.pdf', makePdf([{ lines: ['x'] }]));
    await expect(read({ path: 'locked.pdf' })).rejects.toThrow(
      'locked.pdf cannot be read: it is protected by a password: save a copy without one',
    );
    await expect(read({ path: 'one.pdf', pages: '2' })).rejects.toMatchObject({ code: 'invalid_args' });
  });
});

describe('file_read of a picture', () => {
  it('gives the picture, made smaller where it is large', async () => {
    put(
      'photo.jpg',
      await sharp({ create: { width: 3_136, height: 100, channels: 3, background: 'red' } })
        .jpeg()
        .toBuffer(),
    );
    const { text, pictures, data } = await read({ path: 'photo.jpg' });
    expect(text).toBe('[photo.jpg: a picture of 3136 × 100 pixels, shown as 1568 × 50]');
    expect(pictures).toMatchObject([{ mediaType: 'image/jpeg' }]);
    expect(data).toMatchObject({ path: 'photo.jpg', width: 3_136, height: 100 });
  });

  it('names one that is damaged', async () => {
    put('broken.png', Buffer.from('89504e470d0a1a0a0000', 'hex'));
    await expect(read({ path: 'broken.png' })).rejects.toThrow(/^broken.png cannot be shown: the picture is damaged/);
  });
});

describe('file_read of text that is not UTF-8', () => {
  it('shows it, and says in which charset it is', async () => {
    put('old.txt', Buffer.from('cff0e8e2e5f22c20ece8f03d35', 'hex'));
    const { text, data } = await read({ path: 'old.txt' });
    expect(text).toBe('[text in windows-1251: file_edit, file_write and apply_patch keep it]\nПривет, мир=5');
    expect(data).toMatchObject({ charset: 'windows-1251', content: 'Привет, мир=5' });
  });

  it('names UTF-16, and reads a table in it as a table', async () => {
    put('wide.txt', Buffer.from('\ufeffя', 'utf16le'));
    await expect(read({ path: 'wide.txt' })).rejects.toThrow(
      'wide.txt is text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8 to read it',
    );
    put('wide.csv', Buffer.from('\ufeffя\t1\n', 'utf16le'));
    expect((await read({ path: 'wide.csv' })).text).toContain('1\tя\t1');
  });
});

it('other binary files have no text', async () => {
  put('a.out', Buffer.from('\x7fELF\0\0'));
  await expect(read({ path: 'a.out' })).rejects.toThrow('a.out is a binary file: it has no text to show');
});
