import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { makePdf } from '../../../test/support/make-pdf.ts';
import { createPictures } from './pictures.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const paste = (text: string): string => `\x1b[200~${text}\x1b[201~`;

function setUp(clipboard: () => Promise<Buffer> = async () => PNG) {
  const root = mkdtempSync(join(tmpdir(), 'chat-pictures-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const name of ['shot.png', 'my shot.png', "it's.png"]) writeFileSync(join(root, name), PNG);
  writeFileSync(join(root, 'letter.pdf'), makePdf([{ lines: ['Dear Anna,'] }]));
  writeFileSync(join(root, 'fake.png'), 'words');
  writeFileSync(join(root, 'notes.txt'), 'words');
  const written: string[] = [];
  const notices: string[] = [];
  const pictures = createPictures({
    root,
    userHome: root,
    readClipboard: clipboard,
    insert: (text) => written.push(text),
    notice: (text) => notices.push(text),
  });
  return { root, pictures, written, notices };
}

describe('a picture that is pasted', () => {
  it.each([
    ['its path', (root: string) => join(root, 'shot.png')],
    ['a path with a blank as it is', (root: string) => join(root, 'my shot.png')],
    ['a path as terminals drop it', (root: string) => join(root, 'my\\ shot.png ')],
    ['a path in quotes', (root: string) => `'${join(root, 'my shot.png')}'`],
    ['a path in double quotes', (root: string) => `"${join(root, "it's.png")}"`],
    ['an address of a file', (root: string) => pathToFileURL(join(root, 'my shot.png')).href],
    ['a path from the home', () => '~/shot.png'],
    ['a path from the workspace', () => 'shot.png\n'],
  ])('by %s is a mark in the input, and goes with the message', async (_how, text) => {
    const { root, pictures, written } = setUp();
    expect(pictures.takePaste(paste(text(root)))).toBe(true);
    expect(written).toEqual(['[picture 1] ']);
    const attached = await pictures.attachmentsIn('what is wrong in [picture 1]?');
    expect(attached).toMatchObject([{ kind: 'image', mimeType: 'image/png', data: PNG.toString('base64') }]);
    expect(attached[0]?.name).toMatch(/^1 \(.*\.png\)$/);
  });

  it('says why it cannot be read when the message is sent: a HEIC photo', async () => {
    const { root, pictures, written } = setUp();
    writeFileSync(join(root, 'IMG_1.HEIC'), Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'));
    expect(pictures.takePaste(paste('IMG_1.HEIC'))).toBe(true);
    expect(written).toEqual(['[picture 1] ']);
    await expect(pictures.attachmentsIn('what is [picture 1]?')).rejects.toThrow(/it is a HEIC picture/);
  });

  it('among several is one of several, and goes only where its mark is left', async () => {
    const { root, pictures, written } = setUp();
    expect(pictures.takePaste(paste(`${join(root, 'shot.png')} '${join(root, 'my shot.png')}'`))).toBe(true);
    expect(written).toEqual(['[picture 1] [picture 2] ']);
    expect(await pictures.attachmentsIn('[picture 2] and [picture 2] and [picture 9]')).toMatchObject([
      { name: '2 (my shot.png)' },
    ]);
  });

  it.each([
    ['words', 'look at shot.png'],
    ['a file of another kind', 'notes.txt'],
    ['a file that only claims to be one', 'fake.png'],
    ['one that does not exist', '/nowhere/a.png'],
    ['a picture and something else', 'shot.png notes.txt'],
  ])('leaves %s to the input', (_what, text) => {
    const { pictures, written } = setUp();
    expect(pictures.takePaste(paste(text))).toBe(false);
    expect(pictures.takePaste('a')).toBe(false);
    expect(written).toEqual([]);
  });
});

it('a document that is dropped beside a picture goes with the message as its text', async () => {
  const { root, pictures, written } = setUp();
  expect(pictures.takePaste(paste(`'${join(root, 'shot.png')}' '${join(root, 'letter.pdf')}'`))).toBe(true);
  expect(written).toEqual(['[picture 1] [document 2] ']);
  expect(await pictures.attachmentsIn('what is wrong in [document 2] and [picture 1]?')).toEqual([
    { kind: 'text', name: 'letter.pdf', text: '[PDF document; 1 page]\n--- page 1 ---\nDear Anna,\n' },
    expect.objectContaining({ kind: 'image' }),
  ]);
});

describe('a picture in the clipboard', () => {
  it('is a mark in the input, also when a terminal pastes nothing for it', async () => {
    const { pictures, written } = setUp();
    await pictures.takeClipboard();
    expect(pictures.takePaste(paste(''))).toBe(true);
    await eventually(() => expect(written).toEqual(['[picture 1] ', '[picture 2] ']));
    expect(await pictures.attachmentsIn('[picture 1]')).toMatchObject([{ name: '1' }]);
  });

  it.each([
    ['holds none', async () => Buffer.from('words'), 'There is no picture in the clipboard.'],
    ['cannot be read', () => Promise.reject(new Error('install xclip')), 'install xclip'],
  ])('that %s is said', async (_what, clipboard, said) => {
    const { pictures, written, notices } = setUp(clipboard);
    await pictures.takeClipboard();
    expect([written, notices]).toEqual([[], [said]]);
  });
});
