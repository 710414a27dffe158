import type { ByteSource } from './byte-source.ts';
import { type DocumentPart, type DocumentPicture, DocumentProblem, type OpenDocument } from './document.ts';
import { openPdf, type PdfPage } from './pdfium.ts';
import { encodePng } from './png.ts';

/** What models look at; a larger picture is made smaller by their providers. */
const LONGEST_SIDE = 1_568;
const LARGEST_PICTURE_BYTES = 3_500_000;

export async function openPdfDocument(source: ByteSource): Promise<OpenDocument> {
  const pdf = await openPdf(source.readAll());
  if (pdf.pageCount === 0) throw new DocumentProblem('damaged', 'it has no pages');
  const title = pdf.title();
  return {
    label: 'PDF document',
    ...(title && { title }),
    unit: 'page',
    count: pdf.pageCount,
    read: (index, { pictures }) =>
      pdf.withPage(index, (page): DocumentPart => {
        const text = plainLines(page.text());
        const hasPicture = text === '' && page.hasObjects();
        const isShown = pictures === 'all' || (pictures === 'without-text' && hasPicture);
        const note = !hasPicture ? '(an empty page)' : isShown ? '(no text: see the picture)' : '(a picture, no text)';
        return {
          heading: `--- page ${index + 1} ---`,
          text: text || note,
          hasPicture: hasPicture || pictures === 'all',
          ...(isShown && { pictures: [pictureOf(page)] }),
        };
      }),
  };
}

function pictureOf(page: PdfPage): DocumentPicture {
  for (let side = LONGEST_SIDE; ; side = Math.floor(side * 0.7)) {
    const { width, height, rgba } = page.render(side);
    const bytes = encodePng(width, height, rgba);
    if (bytes.length <= LARGEST_PICTURE_BYTES || side < 300) return { mediaType: 'image/png', bytes };
  }
}

/** One kind of line end, and hyphens that PDFium marks at the end of a line. */
function plainLines(text: string): string {
  return text
    .replace(/\uFFFE\r?\n?/g, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]+$/gm, '')
    .trim();
}
