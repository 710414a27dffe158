// Documents read in their worker thread, as the tools do.
import { describe, expect, it } from 'vitest';
import { makePdf } from '../../test/support/make-pdf.ts';
import type { DocumentRequest, DocumentText } from './document.ts';
import { documentSummary } from './document-summary.ts';
import { readDocument } from './read-document.ts';

const read = (request: Partial<DocumentRequest> & Pick<DocumentRequest, 'kind' | 'source'>): Promise<DocumentText> =>
  readDocument({ maxCharacters: 30_000, pictures: 'without-text', ...request }, new AbortController().signal);
const pdf = (bytes: Uint8Array, request: Partial<DocumentRequest> = {}): Promise<DocumentText> =>
  read({ kind: 'pdf', source: { bytes }, ...request });
const page = (number: number, lines = 3) => ({
  lines: Array.from({ length: lines }, (_, line) => `Page ${number}, line ${line + 1}.`),
});
const scan = { picture: { width: 40, height: 60, rgb: Buffer.alloc(40 * 60 * 3, 0x80) } };

describe('a PDF document', () => {
  it('is read by page, with its title and what is left', async () => {
    const bytes = makePdf([page(1), page(2), page(3)], { title: 'Report (draft)' });
    const whole = await pdf(bytes);
    expect(whole.text).toContain('--- page 2 ---\nPage 2, line 1.\nPage 2, line 2.\nPage 2, line 3.\n');
    expect(documentSummary(whole)).toBe('[PDF document "Report (draft)"; 3 pages; pages 1-3 follow]');
    const second = await pdf(bytes, { pages: '2' });
    expect(second.text.trim()).toBe('--- page 2 ---\nPage 2, line 1.\nPage 2, line 2.\nPage 2, line 3.');
    const some = await pdf(bytes, { maxCharacters: 100 });
    expect(documentSummary(some)).toBe(
      '[PDF document "Report (draft)"; 3 pages; page 1 follows; read on with pages "2-3"]',
    );
  });

  it('a long page is read on from a line', async () => {
    const bytes = makePdf([page(1, 40), page(2)]);
    const first = await pdf(bytes, { maxCharacters: 200 });
    expect(first.next).toMatchObject({ pages: '1-2' });
    const rest = await pdf(bytes, { ...first.next });
    expect(`${first.text}\n${rest.text}`).toBe((await pdf(bytes)).text);
  });

  it('pages without text are shown as pictures, to those who want them', async () => {
    const bytes = makePdf([page(1), scan, { lines: [] }]);
    const { pictures, text } = await pdf(bytes);
    expect(pictures).toHaveLength(1);
    expect(
      Buffer.from(pictures[0]?.bytes ?? [])
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    expect(text).toContain('(no text: see the picture)');
    expect(text).toContain('--- page 3 ---\n(an empty page)');
    expect((await pdf(bytes, { pictures: 'none' })).pictures).toEqual([]);
    expect((await pdf(bytes, { pages: '1', pictures: 'all' })).pictures).toHaveLength(1);
  });

  it('more scanned pages than are shown at once are read on', async () => {
    const bytes = makePdf(Array.from({ length: 10 }, () => scan));
    const first = await pdf(bytes);
    expect(first.pictures).toHaveLength(6);
    expect(first.next).toEqual({ pages: '7-10' });
    expect((await pdf(bytes, { ...first.next })).pictures).toHaveLength(4);
  });

  it.each([
    ['0', /there is no page 0: it has 2/],
    ['7', /there is no page 7: it has 2/],
    ['two', /"two" names no pages/],
    ['2-1', /ends before it begins/],
  ])('pages %j are refused', async (pages, message) => {
    await expect(pdf(makePdf([page(1), page(2)]), { pages })).rejects.toThrow(message);
  });

  it('with a password, cut or made of nonsense it is named as that', async () => {
    const whole = makePdf([page(1)]);
    await expect(pdf(makePdf([page(1)], { isLocked: true }))).rejects.toMatchObject({ code: 'locked' });
    await expect(pdf(whole.subarray(0, 60))).rejects.toMatchObject({ code: 'damaged' });
    await expect(pdf(Buffer.from('%PDF-1.7\nnothing of it is true'))).rejects.toMatchObject({ code: 'damaged' });
  });

  it('any byte of it may be wrong: it is read or refused', async () => {
    const whole = makePdf([page(1), scan], { title: 'x' });
    for (let round = 0; round < 6; round += 1) {
      const bytes = Buffer.from(whole);
      for (let place = round; place < bytes.length; place += 97)
        bytes[place] = (bytes[place] ?? 0) ^ (1 << (round % 8));
      await pdf(bytes).catch((error: unknown) => expect(error).toMatchObject({ name: 'DocumentProblem' }));
    }
  });

  it('the thread ends when the caller gives up', async () => {
    const stop = new AbortController();
    const bytes = makePdf(Array.from({ length: 200 }, (_, index) => page(index, 40)));
    const reading = readDocument({ kind: 'pdf', source: { bytes }, maxCharacters: 1e9, pictures: 'none' }, stop.signal);
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });
});
