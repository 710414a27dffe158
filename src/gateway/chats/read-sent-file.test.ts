import sharp from 'sharp';
import { expect, it } from 'vitest';
import { makeDocx, paragraph } from '../../../test/support/make-office.ts';
import { makePdf } from '../../../test/support/make-pdf.ts';
import { readSentFile } from './read-sent-file.ts';

const signal = AbortSignal.timeout(60_000);
const read = (name: string, bytes: Buffer) => readSentFile(name, bytes, signal);
const kilobytes = (count: number, text: string): Buffer => Buffer.from(text.repeat((count * 1024) / text.length));

it('a text is attached as it is, a document as its text', async () => {
  expect(await read('a.txt', Buffer.from('plain'))).toEqual({
    kind: 'read',
    attachments: [{ kind: 'text', name: 'a.txt', text: 'plain' }],
  });
  const docx = await read('b.docx', makeDocx(paragraph('inside')));
  expect(docx).toMatchObject({ kind: 'read', attachments: [{ kind: 'text', name: 'b.docx' }] });
  expect(JSON.stringify(docx)).toContain('inside');
});

it('a text in an older charset is attached in words', async () => {
  expect(await read('a.csv', Buffer.from('c8ecff3bd1f3ecece0', 'hex'))).toMatchObject({
    attachments: [{ text: 'Имя;Сумма' }],
  });
  expect(await read('b.txt', Buffer.from('\ufeffя', 'utf16le'))).toMatchObject({ attachments: [{ text: 'я' }] });
});

it('a picture of a kind that models do not take becomes one that they do', async () => {
  const tiff = await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } })
    .tiff()
    .toBuffer();
  expect(await read('a.tiff', tiff)).toMatchObject({
    kind: 'read',
    attachments: [{ kind: 'image', name: 'a.tiff', mimeType: 'image/jpeg' }],
  });
});

it('of a scanned page the picture is attached too', async () => {
  const picture = { width: 2, height: 2, rgb: Buffer.alloc(12, 200) };
  expect(await read('scan.pdf', makePdf([{ picture }]))).toMatchObject({
    kind: 'read',
    attachments: [{ kind: 'text' }, { kind: 'image', name: 'scan.pdf, picture 1', mimeType: 'image/png' }],
  });
});

it('a table that is too large as a text is attached by its beginning', async () => {
  const content = await read('big.csv', kilobytes(1_100, 'a,b,c,d\n'));
  if (content.kind !== 'read' || content.attachments[0]?.kind !== 'text') throw new Error('it was not read');
  expect(content.attachments[0].text.length).toBeLessThan(250_000);
  expect(content.attachments[0].text).toContain('read on with');
});

it.each([
  ['a damaged document', 'a.pdf', Buffer.from('%PDF-1.7'), 'unreadable'],
  ['a locked document', 'a.pdf', makePdf([{ lines: ['x'] }], { isLocked: true }), 'unreadable'],
  ['a document of an old Office', 'a.doc', Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1'), 'unreadable'],
  ['a program', 'a.bin', Buffer.from([1, 0, 2]), 'not-attached'],
  ['a long text', 'a.txt', kilobytes(1_025, 'long '), 'not-attached'],
  [
    'bytes that are not text',
    'a.txt',
    Buffer.from(Array.from({ length: 400 }, (_, at) => 0x80 + ((at * 37) % 128))),
    'not-attached',
  ],
  ['a HEIC photo', 'IMG_1.HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), 'unreadable'],
])('%s is not attached, and the reason is given', async (_, name, bytes, kind) => {
  expect(await read(name, bytes)).toEqual({ kind, reason: expect.stringMatching(/\w+ \w+/) });
});
