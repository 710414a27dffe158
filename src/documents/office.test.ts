// Office documents, books, notebooks, tables, pages and archives, read in their worker thread.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { makeDocx, makeEpub, makePptx, makeXlsx, paragraph } from '../../test/support/make-office.ts';
import { makeZip } from '../../test/support/make-zip.ts';
import type { DocumentRequest, DocumentText } from './document.ts';
import { documentKind } from './document-kind.ts';
import { documentSummary } from './document-summary.ts';
import { readDocument } from './read-document.ts';

async function read(
  content: Buffer | string,
  { name = 'file', ...request }: Partial<DocumentRequest> & { name?: string } = {},
): Promise<DocumentText> {
  const bytes = Buffer.from(content);
  const kind = documentKind(bytes.subarray(0, 1024), name);
  if (!kind) throw new Error('it is not a document');
  return readDocument(
    { kind, source: { bytes }, maxCharacters: 30_000, pictures: 'without-text', ...request },
    new AbortController().signal,
  );
}

describe('a Word document', () => {
  it('is read as Markdown: headings, lists, tables, links, footnotes; nothing that was deleted', async () => {
    const cell = (text: string): string => `<w:tc>${paragraph(text)}</w:tc>`;
    const document = await read(
      makeDocx(
        [
          paragraph('Plan &amp; costs', '<w:pStyle w:val="H1"/>'),
          '<w:p><w:r><w:t>Read </w:t></w:r><w:hyperlink r:id="link"><w:r><w:t>this</w:t></w:r></w:hyperlink><w:r><w:t> first.</w:t><w:footnoteReference w:id="2"/></w:r></w:p>',
          paragraph('one', '<w:numPr><w:ilvl w:val="0"/></w:numPr>'),
          paragraph('two', '<w:numPr><w:ilvl w:val="1"/></w:numPr>'),
          `<w:tbl><w:tr>${cell('a')}${cell('b')}</w:tr><w:tr>${cell('1')}${cell('2 | 3')}</w:tr></w:tbl>`,
          '<w:p><w:r><w:delText>gone</w:delText></w:r><w:r><w:instrText>PAGE</w:instrText><w:drawing><wp:docPr descr="A map"/></w:drawing></w:r></w:p>',
        ].join(''),
        [
          {
            name: 'word/footnotes.xml',
            data: `<w:footnotes xmlns:w="w"><w:footnote w:id="0" w:type="separator">${paragraph('no')}</w:footnote><w:footnote w:id="2">${paragraph('A note.')}</w:footnote></w:footnotes>`,
          },
          { name: 'docProps/core.xml', data: '<c xmlns:dc="dc"><dc:title>Plan</dc:title></c>' },
        ],
      ),
    );
    expect(documentSummary(document)).toBe('[Word document "Plan"]');
    expect(document.text).toBe(
      [
        '# Plan & costs',
        'Read [this](https://example.org/a) first.[^2]',
        '- one\n  - two',
        '| a | b |\n| --- | --- |\n| 1 | 2 \\| 3 |',
        '[picture: A map]',
        '[^2]: A note.',
      ].join('\n\n'),
    );
  });

  it('keeps the columns of a table whose cells are merged, and shows endnotes', async () => {
    const cell = (text: string, properties = ''): string =>
      `<w:tc>${properties && `<w:tcPr>${properties}</w:tcPr>`}${paragraph(text)}</w:tc>`;
    const rows = [
      cell('Team', '<w:vMerge w:val="restart"/>') + cell('Costs', '<w:gridSpan w:val="2"/>') + cell('Note'),
      cell('', '<w:vMerge/>') + cell('Q1') + cell('Q2') + cell('n'),
    ];
    const ending = '<w:p><w:r><w:t>End.</w:t><w:endnoteReference w:id="2"/></w:r></w:p>';
    const endnotes = `<w:endnotes xmlns:w="w"><w:endnote w:id="2">${paragraph('The method.')}</w:endnote></w:endnotes>`;
    const { text } = await read(
      makeDocx(`<w:tbl>${rows.map((row) => `<w:tr>${row}</w:tr>`).join('')}</w:tbl>${ending}`, [
        { name: 'word/endnotes.xml', data: endnotes },
      ]),
    );
    expect(text).toBe(
      '| Team | Costs |  | Note |\n| --- | --- | --- | --- |\n|  | Q1 | Q2 | n |\n\nEnd.[^end-2]\n\n[^end-2]: The method.',
    );
  });

  it('shows what was inserted and not what was deleted or moved away, as long as changes are tracked', async () => {
    const run = (text: string, element = 't'): string => `<w:r><w:${element}>${text}</w:${element}></w:r>`;
    const { text } = await read(
      makeDocx(
        `<w:p>${run('We spend ')}<w:del>${run('100', 'delText')}</w:del><w:ins>${run('120')}</w:ins><w:moveFrom>${run(' now')}</w:moveFrom>${run(' EUR')}<w:moveTo>${run(' now')}</w:moveTo></w:p>`,
      ),
    );
    expect(text).toBe('We spend 120 EUR now');
  });

  it('a long one is read on by line', async () => {
    const bytes = makeDocx(Array.from({ length: 100 }, (_, index) => paragraph(`Paragraph ${index}.`)).join(''));
    const first = await read(bytes, { maxCharacters: 300 });
    expect(first.next).toEqual({ startLine: expect.any(Number) });
    const rest = await read(bytes, { ...first.next });
    expect(`${first.text}\n${rest.text}`).toBe((await read(bytes)).text);
  });
});

describe('a workbook', () => {
  const bytes = makeXlsx(
    {
      Costs:
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="3"><c r="A3" s="1"><v>45292</v></c><c r="B3"><f>1+2</f><v>3</v></c><c r="D3" t="b"><v>1</v></c></row><row r="4"><c r="A4" s="2"><v>45292.75</v></c><c r="B4" t="inlineStr"><is><t>in a cell</t></is></c></row>',
      'Two words': '<row><c><v>7</v></c></row>',
    },
    ['Day', 'Amount'],
  );
  it('shows values with the names of rows and columns, dates as dates', async () => {
    const { text, ...document } = await read(bytes);
    expect(text).toBe(
      [
        '--- sheet "Costs" ---',
        '\tA\tB\tC\tD',
        '1\tDay\tAmount',
        '3\t2024-01-01\t3\t\tTRUE',
        '4\t2024-01-01 18:00:00\tin a cell',
        '',
        '--- sheet "Two words" ---',
        '\tA',
        '1\t7',
        '',
      ].join('\n'),
    );
    expect(documentSummary({ text, ...document })).toBe('[workbook; 2 sheets: Costs, Two words; sheets 1-2 follow]');
  });

  it.each([
    ['B3:D4', '--- sheet "Costs" ---\n\tB\tC\tD\n3\t3\t\tTRUE\n4\tin a cell\n'],
    ['costs!A1', '--- sheet "Costs" ---\n\tA\n1\tDay\n'],
    ["'Two words'!A:A", '--- sheet "Two words" ---\n\tA\n1\t7\n'],
    ['Two words', '--- sheet "Two words" ---\n\tA\n1\t7\n'],
    ['2', '--- sheet "Two words" ---\n\tA\n1\t7\n'],
    ['Costs!1:2', '--- sheet "Costs" ---\n\tA\tB\n1\tDay\tAmount\n'],
  ])('%s chooses cells', async (pages, text) => {
    expect((await read(bytes, { pages })).text).toBe(text);
  });

  it('shows formulas without a value, merged cells, hidden sheets, and numbers as a spreadsheet does', async () => {
    const rows =
      '<row r="1"><c r="A1"><v>0.30000000000000004</v></c><c r="B1"><f>SUM(A1:A3)</f></c><c r="C1" t="str"><f>""</f><v></v></c><c r="D1" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="E1" t="s"><v>0</v></c></row>';
    const made = makeXlsx({ 'S" state="hidden': rows }, ['two_x000D_lines']);
    expect((await read(made)).text).toBe(
      '--- sheet "S" (hidden) ---\n\tA\tB\tC\tD\tE\n1\t0.3\t=SUM(A1:A3)\t\t#DIV/0!\ttwo lines\n',
    );
    const merged = makeXlsx({
      M: `${rows}</sheetData><mergeCells><mergeCell ref="A1:B2"/><mergeCell ref="C4:D4"/></mergeCells><sheetData>`,
    });
    expect((await read(merged)).text).toContain('(merged cells, whose value is in the first: A1:B2, C4:D4)');
    expect((await read(merged, { pages: 'A1:B2' })).text).not.toContain('merged');
  });

  it('names the binary format', async () => {
    await expect(read(makeZip([{ name: 'xl/workbook.bin', data: 'x' }]))).rejects.toMatchObject({
      code: 'unsupported',
      message: 'it is a workbook in the binary format (.xlsb): save it as .xlsx',
    });
  });

  it('names the sheets where there is none of that name', async () => {
    await expect(read(bytes, { pages: 'Sales!A1:B2' })).rejects.toThrow(
      'there is no sheet "Sales": it has "Costs", "Two words"',
    );
  });
});

it('a presentation is read by slide, with notes', async () => {
  const bytes = makePptx([
    { title: 'Hello', lines: ['First point', 'Second'], notes: 'Smile.' },
    { title: 'The end', lines: [] },
  ]);
  expect((await read(bytes)).text).toBe(
    '--- slide 1 ---\n# Hello\nFirst point\nSecond\n\nNotes: Smile.\n\n--- slide 2 ---\n# The end\n',
  );
  expect((await read(bytes, { pages: '2' })).text).toBe('--- slide 2 ---\n# The end\n');
});

describe('a book', () => {
  it('is read by chapter', async () => {
    const document = await read(makeEpub('Walden', ['<h1>Economy</h1><p>When I wrote&nbsp;…</p>', '<p>Two</p>']));
    expect(documentSummary(document)).toBe('[book (EPUB) "Walden"; 2 chapters; chapters 1-2 follow]');
    expect(document.text).toContain('--- chapter 1 ---\n# Economy\n\nWhen I wrote');
  });

  it.each<[string, (opf: string) => string]>([
    [
      'an entity and a sign that XML does not know',
      (opf) => opf.replace('<dc:title>', '<dc:x>a & b&nbsp;</dc:x><dc:title>'),
    ],
    ['no order of its chapters', (opf) => opf.replace(/<itemref[^>]*>/g, '')],
    [
      'a table of contents that is not there',
      (opf) => opf.replace('<spine>', '<spine toc="ncx"><itemref idref="ncx"/>'),
    ],
  ])('is read although its list of parts has %s', async (_, change) => {
    const book = makeEpub('Walden', ['<p>One</p>', '<p>Two</p>'], [], change);
    const document = await read(book);
    expect(document).toMatchObject({ title: 'Walden', parts: { count: 2 } });
    expect(document.text).toBe('--- chapter 1 ---\nOne\n\n--- chapter 2 ---\nTwo\n');
  });

  it('names a chapter that is missing, and shows the others', async () => {
    const book = makeEpub('Walden', ['<p>One</p>', '<p>Two</p>'], [], (opf) =>
      opf.replace('c%200.xhtml', 'gone.xhtml'),
    );
    expect((await read(book)).text).toBe(
      '--- chapter 1 ---\n(not readable: it is damaged: its part OEBPS/text/gone.xhtml is missing)\n\n--- chapter 2 ---\nTwo\n',
    );
  });

  it('says which chapter is encrypted', async () => {
    const data =
      '<encryption xmlns:e="e"><e:CipherData><e:CipherReference URI="OEBPS/text/c%200.xhtml"/></e:CipherData></encryption>';
    const bytes = makeEpub('Sold', ['<p>x</p>'], [{ name: 'META-INF/encryption.xml', data }]);
    await expect(read(bytes)).rejects.toMatchObject({ code: 'locked' });
  });
});

it('a notebook is read by cell, with what it printed and drew', async () => {
  const png = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
  const notebook = {
    metadata: { kernelspec: { language: 'python' } },
    cells: [
      { cell_type: 'markdown', source: ['# Title\n', 'text'] },
      {
        cell_type: 'code',
        source: 'print(1)',
        outputs: [
          { output_type: 'stream', text: ['1\n'] },
          { output_type: 'display_data', data: { 'image/png': png, 'text/plain': '<Figure>' } },
          { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['\x1b[31mE\x1b[0m: v'] },
        ],
      },
    ],
  };
  const document = await read(JSON.stringify(notebook), { name: 'a.ipynb' });
  expect(document.text).toBe(
    '--- cell 1 ---\n# Title\ntext\n\n--- cell 2, code ---\n```python\nprint(1)\n```\nOutput:\n1\n(a picture)\nE: v\n',
  );
  expect(document.pictures).toHaveLength(1);
  await expect(read('{"cells": 3}', { name: 'a.ipynb' })).rejects.toMatchObject({ code: 'damaged' });
});

it.each([
  ['name,age\n"Lee, Anna",30\n"say ""hi""\nthere",4\n', '\tA\tB\n1\tname\tage\n2\tLee, Anna\t30\n3\tsay "hi" there\t4'],
  ['a;b\r\n1,5;2\r\n', '\tA\tB\n1\ta\tb\n2\t1,5\t2'],
  ['\ufeffa;b\r\n"x; y";"say ""hi"""\r\n', '\tA\tB\n1\ta\tb\n2\tx; y\tsay "hi"'],
  ['"a,b";"c,d"\r\n1;2\r\n', '\tA\tB\n1\ta,b\tc,d\n2\t1\t2'],
  ['Accounts\n\na;b;c,d\n1;2;3\n', '\tA\tB\tC\n1\tAccounts\n3\ta\tb\tc,d\n4\t1\t2\t3'],
  ['sep=|\r\na,b|c\r\n', '\tA\tB\n1\ta,b\tc'],
  ['a,b\n"x" y,2\nz "q",3\n', '\tA\tB\n1\ta\tb\n2\tx y\t2\n3\tz "q"\t3'],
  ['a,b\r1,2\r', '\tA\tB\n1\ta\tb\n2\t1\t2'],
])('a table of values with separators %#', async (content, text) => {
  expect((await read(content, { name: 'a.csv' })).text).toBe(text);
  const first = text.split('\n')[1]?.split('\t')[1];
  expect((await read(content, { name: 'a.csv', pages: 'A1' })).text).toBe(`\tA\n1\t${first}`);
});

it('a table of values is read in the charset that it was written in', async () => {
  const russian = Buffer.from('c8ecff3bd1f3ecece00d0acfb8f2f03b350d0a', 'hex');
  expect((await read(russian, { name: 'a.csv' })).text).toBe('\tA\tB\n1\tИмя\tСумма\n2\tПётр\t5');
  const wide = Buffer.from('\ufeffя\tb\r\n1\t2\r\n', 'utf16le');
  expect((await read(wide, { name: 'a.csv' })).text).toBe('\tA\tB\n1\tя\tb\n2\t1\t2');
});

it('a page of HTML is its main text', async () => {
  const { text, title } = await read(
    '<html><head><title>T</title></head><body><nav>menu</nav><p>Main text.</p></body></html>',
    {
      name: 'a.html',
    },
  );
  expect({ text, title }).toEqual({ text: 'Main text.', title: 'T' });
});

describe('an archive is listed', () => {
  const tar = (...entries: [string, string][]): Buffer => {
    const blocks = entries.map(([name, content]) => {
      const header = Buffer.alloc(512);
      header.write(name);
      header.write('0000644\0', 100);
      header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
      header.write('0', 156);
      header.write('ustar\0', 257);
      header.fill(' ', 148, 156);
      header.write(
        `${header
          .reduce((sum, byte) => sum + byte, 0)
          .toString(8)
          .padStart(6, '0')}\0 `,
        148,
      );
      return Buffer.concat([header, Buffer.from(content), Buffer.alloc((512 - (content.length % 512)) % 512)]);
    });
    return Buffer.concat([...blocks, Buffer.alloc(1024)]);
  };
  const list = '       bytes  name\n           5  a.txt\n           0  b/';

  it('zip, with or without a password', async () => {
    const entries = [
      { name: 'a.txt', data: 'hello' },
      { name: 'b/', data: '' },
    ];
    expect(await read(makeZip(entries))).toMatchObject({ label: 'zip archive of 2 entries', text: list });
    const locked = await read(makeZip(entries.map((entry) => ({ ...entry, isEncrypted: true }))));
    expect(locked.label).toBe('zip archive with a password of 2 entries');
  });

  it.each([
    ['IBM866, as Windows writes Russian names', '8ee2e7f1e220a7a020aca0e0e22e747874', 'Отчёт за март.txt'],
    ['GB18030, as it writes Chinese ones', 'b1a8b8e62e747874', '报告.txt'],
    ['UTF-8', Buffer.from('отчёт.txt').toString('hex'), 'отчёт.txt'],
  ])('zip, with names in %s', async (_, name, shown) => {
    expect((await read(makeZip([{ name: Buffer.from(name, 'hex'), data: 'x' }]))).text).toContain(shown);
  });

  it('tar, packed or not', async () => {
    const bytes = tar(['a.txt', 'hello'], ['b/', '']);
    expect(await read(bytes)).toMatchObject({ label: 'tar archive of 2 entries', text: list });
    expect(await read(gzipSync(bytes))).toMatchObject({ label: 'tar archive (gzip) of 2 entries', text: list });
  });

  it('text packed with gzip is shown, other content is not', async () => {
    expect((await read(gzipSync('a log\nof two lines'))).text).toBe('a log\nof two lines');
    await expect(read(gzipSync(Buffer.from([1, 0, 2])))).rejects.toMatchObject({ code: 'unsupported' });
  });
});
