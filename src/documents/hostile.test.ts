// Documents that are made to exhaust their reader: each is refused, in bounded memory.
import { constants, deflateRawSync } from 'node:zlib';
import { parseHTML } from 'linkedom';
import { expect, it } from 'vitest';
import { makeDocx, makePptx, makeXlsx, paragraph } from '../../test/support/make-office.ts';
import { makePdf } from '../../test/support/make-pdf.ts';
import { makeZip } from '../../test/support/make-zip.ts';
import { documentKind } from './document-kind.ts';
import { type PageNode, toMarkdown } from './html/to-markdown.ts';
import { readDocument } from './read-document.ts';

const MB = 1024 * 1024;

/** Gigabytes of zeros as a raw deflate stream of some megabytes, made without having them. */
function packedZeros(gigabytes: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(64 * MB), { finishFlush: constants.Z_FULL_FLUSH });
  const last = Buffer.from([0x03, 0x00]);
  return Buffer.concat([...Array.from({ length: gigabytes * 16 }, () => block), last]);
}

/** The code of the refusal, and how much memory the process took meanwhile, in MB. */
async function refusal(bytes: Buffer, name = 'file'): Promise<{ code: string; taken: number }> {
  const kind = documentKind(bytes.subarray(0, 1024), name);
  if (!kind) throw new Error('it is not a document');
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
  try {
    const request = { kind, source: { bytes }, maxCharacters: 30_000, pictures: 'without-text' } as const;
    const code = await readDocument(request, new AbortController().signal).then(
      () => 'read',
      (error: { code?: string }) => error.code ?? String(error),
    );
    return { code, taken: (most - before) / MB };
  } finally {
    clearInterval(watch);
  }
}

const document = (data: string): Buffer => makeZip([{ name: 'word/document.xml', data }]);

it.each<[string, () => Buffer, string]>([
  [
    '10 GB of zeros that say so',
    () => makeZip([{ name: 'word/document.xml', data: '', packed: packedZeros(10), declaredSize: 0xfffffffe }]),
    'too_large',
  ],
  [
    '10 GB of zeros that say they are ten bytes',
    () => makeZip([{ name: 'word/document.xml', data: '', packed: packedZeros(10), declaredSize: 10 }]),
    'damaged',
  ],
  [
    'entities that multiply',
    () =>
      document(
        `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, index) => `<!ENTITY ${String.fromCharCode(98 + index)} "${`&${String.fromCharCode(97 + index)};`.repeat(10)}">`).join('')}]><x>&j;</x>`,
      ),
    'damaged',
  ],
  [
    'an entity of a file',
    () => document('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><x>&f;</x>'),
    'damaged',
  ],
  ['elements in 300,000 others', () => document(`${'<x>'.repeat(300_000)}${'</x>'.repeat(300_000)}`), 'too_large'],
  [
    'a cell far outside of every sheet',
    () => makeXlsx({ A: '<row r="99999999"><c r="ZZZZZZZZ1"><v>1</v></c><c r="A1"><v>2</v></c></row>' }),
    'read',
  ],
  ['a slide of 300,000 lines', () => makePptx([{ title: 'x', lines: Array(300_000).fill('line') }]), 'read'],
  ['a list of entries that is not there', () => makeZip([{ name: 'a', data: 'x' }]).subarray(0, 40), 'damaged'],
  ['a notebook of brackets', () => Buffer.from('['.repeat(2_000_000)), 'damaged'],
])('%s', async (_, make, code) => {
  const found = await refusal(make(), 'file.ipynb');
  expect(found.code).toBe(code);
  expect(found.taken).toBeLessThan(450);
});

it.each([
  ['paragraphs', `<article>${'<p>word</p>'.repeat(150_000)}</article>`],
  ['rows', `<table>${'<tr><td>a<td>b'.repeat(150_000)}</table>`],
  [
    'short rows below a wide one',
    `<table><tr>${'<td>a'.repeat(5_000)}</tr>${'<tr><td>a<td>b'.repeat(150_000)}</table>`,
  ],
  [
    'cells that claim to be wide and deep',
    `<table>${'<tr><td colspan=1000 rowspan=65534>a<td>b'.repeat(50_000)}</table>`,
  ],
  ['code marks', `<pre>${'` '.repeat(300_000)}</pre>`],
])('a page of very many %s is Markdown all the same', (_, html) => {
  const { document: page } = parseHTML(`<!doctype html><html><body>${html}</body></html>`);
  expect(toMarkdown(page.body as unknown as PageNode, 'https://example.org/').length).toBeGreaterThan(400_000);
});

it('a packed file of 10 GB is not unpacked to its end', async () => {
  const head = Buffer.from('1f8b0800000000000003', 'hex');
  expect(await refusal(Buffer.concat([head, packedZeros(10), Buffer.alloc(8)]))).toMatchObject({ code: 'unsupported' });
});

it('a PDF whose page unpacks to 2 GB is read or given up', async () => {
  const zlib = Buffer.concat([Buffer.from([0x78, 0x9c]), packedZeros(2), Buffer.alloc(4)]);
  const { code, taken } = await refusal(makePdf([{ packed: zlib }]));
  expect(['read', 'damaged', 'stopped', 'too_large']).toContain(code);
  expect(taken).toBeLessThan(900);
});

it('any byte of a zip may be wrong: it is read or refused', async () => {
  const whole = makeDocx(paragraph('text'));
  for (let round = 0; round < 8; round += 1) {
    const bytes = Buffer.from(whole);
    for (let place = 4 + round * 7; place < bytes.length; place += 131)
      bytes[place] = (bytes[place] ?? 0) ^ (1 << round);
    const { code } = await refusal(bytes);
    expect(['read', 'damaged', 'unsupported', 'too_large', 'locked', 'stopped']).toContain(code);
  }
});
