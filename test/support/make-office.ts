// Office documents and books, as small as their readers accept them.
import { type MadeEntry, makeZip } from './make-zip.ts';

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export function relationships(targets: Record<string, { type: string; target: string; isOutside?: boolean }>): string {
  const rows = Object.entries(targets).map(
    ([id, { type, target, isOutside }]) =>
      `<Relationship Id="${id}" Type="${TYPES}/${type}" Target="${target}"${isOutside ? ' TargetMode="External"' : ''}/>`,
  );
  return `<?xml version="1.0"?><Relationships>${rows.join('')}</Relationships>`;
}

/** `body`: the content of `w:body`. */
export function makeDocx(body: string, more: readonly MadeEntry[] = []): Buffer {
  const styles = '<w:styles xmlns:w="w"><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>';
  return makeZip([
    {
      name: 'word/document.xml',
      data: `<?xml version="1.0"?><w:document xmlns:w="w" xmlns:r="r" xmlns:wp="wp" xmlns:mc="mc"><w:body>${body}</w:body></w:document>`,
    },
    { name: 'word/styles.xml', data: styles },
    {
      name: 'word/_rels/document.xml.rels',
      data: relationships({ link: { type: 'hyperlink', target: 'https://example.org/a', isOutside: true } }),
    },
    ...more,
  ]);
}

export const paragraph = (text: string, properties = ''): string =>
  `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;

/** Of each sheet: the content of `sheetData`. */
export function makeXlsx(sheets: Record<string, string>, strings: readonly string[] = []): Buffer {
  const names = Object.keys(sheets);
  const rows = names.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="s${index}"/>`);
  return makeZip([
    { name: 'xl/workbook.xml', data: `<workbook xmlns:r="r"><sheets>${rows.join('')}</sheets></workbook>` },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: relationships(
        Object.fromEntries(
          names.map((_, index) => [`s${index}`, { type: 'worksheet', target: `worksheets/${index}.xml` }]),
        ),
      ),
    },
    {
      name: 'xl/styles.xml',
      data: '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>',
    },
    { name: 'xl/sharedStrings.xml', data: `<sst>${strings.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>` },
    ...Object.values(sheets).map((data, index) => ({
      name: `xl/worksheets/${index}.xml`,
      data: `<worksheet><sheetData>${data}</sheetData></worksheet>`,
    })),
  ]);
}

/** Of each slide its title and its lines. */
export function makePptx(slides: readonly { title: string; lines: readonly string[]; notes?: string }[]): Buffer {
  const shape = (type: string, lines: readonly string[]): string =>
    `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${lines.map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp>`;
  const part = (shapes: string): string => `<p:sld xmlns:p="p" xmlns:a="a"><p:cSld>${shapes}</p:cSld></p:sld>`;
  return makeZip([
    {
      name: 'ppt/presentation.xml',
      data: `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${slides.map((_, index) => `<p:sldId id="${index}" r:id="s${index}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    },
    {
      name: 'ppt/_rels/presentation.xml.rels',
      data: relationships(
        Object.fromEntries(slides.map((_, index) => [`s${index}`, { type: 'slide', target: `slides/${index}.xml` }])),
      ),
    },
    ...slides.flatMap(({ title, lines, notes }, index) => [
      {
        name: `ppt/slides/${index}.xml`,
        data: part(shape('title', [title]) + shape('body', lines) + shape('sldNum', [String(index + 1)])),
      },
      {
        name: `ppt/slides/_rels/${index}.xml.rels`,
        data: relationships(notes === undefined ? {} : { n: { type: 'notesSlide', target: `../notes/${index}.xml` } }),
      },
      ...(notes === undefined ? [] : [{ name: `ppt/notes/${index}.xml`, data: part(shape('body', [notes])) }]),
    ]),
  ]);
}

/** `change` is given the list of its parts. */
export function makeEpub(
  title: string,
  chapters: readonly string[],
  more: readonly MadeEntry[] = [],
  change = (opf: string): string => opf,
): Buffer {
  const items = chapters.map((_, index) => `<item id="c${index}" href="text/c%20${index}.xhtml"/>`).join('');
  const order = chapters.map((_, index) => `<itemref idref="c${index}"/>`).join('');
  return makeZip([
    { name: 'mimetype', data: 'application/epub+zip' },
    {
      name: 'META-INF/container.xml',
      data: '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    },
    {
      name: 'OEBPS/book.opf',
      data: change(
        `<package><metadata xmlns:dc="dc"><dc:title>${title}</dc:title></metadata><manifest>${items}</manifest><spine>${order}</spine></package>`,
      ),
    },
    ...chapters.map((body, index) => ({
      name: `OEBPS/text/c ${index}.xhtml`,
      data: `<?xml version="1.0"?><!DOCTYPE html><html><head><title>x</title></head><body>${body}</body></html>`,
    })),
    ...more,
  ]);
}
