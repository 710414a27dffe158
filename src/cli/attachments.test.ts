import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { makePdf } from '../../test/support/make-pdf.ts';
import { testHome } from '../../test/support/test-home.ts';
import { readAttachments } from './attachments.ts';
import type { Terminal } from './terminal.ts';

function at(files: Record<string, Buffer | string>) {
  const { workspace } = testHome();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(workspace, name), content);
  const terminal = { environment: { cwd: workspace } } as Terminal;
  return (texts: string[], images: string[] = []) => readAttachments(texts, images, terminal);
}

describe('pictures', () => {
  it.each([
    ['image/png', '\x89PNG\r\n\x1a\n'],
    ['image/jpeg', '\xff\xd8\xff\xe0'],
    ['image/gif', 'GIF89a'],
    ['image/webp', 'RIFF\x10\0\0\0WEBPVP8 '],
  ])('%s are known by their content', async (mimeType, start) => {
    const bytes = Buffer.from(start, 'latin1');
    expect(await at({ 'any.name': bytes })([], ['any.name'])).toEqual([
      { kind: 'image', name: 'any.name', mimeType, data: bytes.toString('base64') },
    ]);
  });

  it('of a kind that models do not take are changed, and HEIC is refused by its name', async () => {
    const avif = await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } })
      .avif()
      .toBuffer();
    const read = at({ 'a.avif': avif, 'IMG_1.HEIC': Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1') });
    expect(await read([], ['a.avif'])).toMatchObject([{ kind: 'image', name: 'a.avif', mimeType: 'image/jpeg' }]);
    await expect(read([], ['IMG_1.HEIC'])).rejects.toThrow(
      'IMG_1.HEIC cannot be read: it is a HEIC picture, a kind that is not supported: save it as JPEG or PNG',
    );
  });

  it('are refused when they are something else, empty ones too', async () => {
    const read = at({ 'x.png': 'text', 'empty.png': '' });
    for (const name of ['x.png', 'empty.png']) await expect(read([], [name])).rejects.toThrow('is not accepted');
  });
});

describe('documents', () => {
  it('are their text, with pictures of the pages that have none', async () => {
    const scan = { picture: { width: 2, height: 2, rgb: Buffer.alloc(12) } };
    const read = at({ 'a.pdf': makePdf([{ lines: ['Dear Anna,'] }, scan]) });
    expect(await read(['a.pdf'])).toMatchObject([
      { kind: 'text', name: 'a.pdf', text: expect.stringContaining('Dear Anna,') },
      { kind: 'image', name: 'a.pdf, picture 1', mimeType: 'image/png' },
    ]);
  });

  it('are refused by what is wrong with them', async () => {
    const read = at({ 'a.pdf': makePdf([{ lines: ['x'] }], { isLocked: true }) });
    await expect(read(['a.pdf'])).rejects.toThrow('a.pdf cannot be read: it is protected by a password');
  });
});

describe('texts', () => {
  it('keep their order and the name they were given, and come before pictures', async () => {
    const read = at({ b: 'two', a: 'one', p: Buffer.from('GIF89a') });
    const found = await read(['b', './a'], ['p']);
    expect(found.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['text b', 'text ./a', 'image p']);
  });

  it('are read in the charset that they were written in', async () => {
    const read = at({ 'a.csv': Buffer.from('c8ecff3bd1f3ecece0', 'hex'), 'b.txt': Buffer.from('\ufeffя', 'utf16le') });
    expect(await read(['a.csv', 'b.txt'])).toMatchObject([{ text: 'Имя;Сумма' }, { text: 'я' }]);
  });

  it('are refused by what they are', async () => {
    const read = at({ binary: Buffer.from([0, 1]), large: 'x'.repeat(1_048_577), fits: 'x'.repeat(1_048_576) });
    await expect(read(['binary'])).rejects.toThrow('binary file');
    await expect(read(['large'])).rejects.toThrow('accepted: up to 1048576');
    await expect(read(['.'])).rejects.toThrow('not a regular file');
    await expect(read(['nope'])).rejects.toThrow('cannot be read');
    expect(await read(['fits'])).toHaveLength(1);
  });
});
