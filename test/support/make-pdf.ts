// A PDF document with these pages, as small as the format allows. A page is lines of text, or a picture without any text.

export type PdfPageContent =
  | { lines: readonly string[] }
  | { picture: { width: number; height: number; rgb: Buffer } }
  /** What is drawn, packed with zlib. */
  | { packed: Buffer };

export interface MakePdfOptions {
  title?: string;
  /** Names an encryption with a password that nobody knows. */
  isLocked?: boolean;
}

export function makePdf(pages: readonly PdfPageContent[], { title, isLocked }: MakePdfOptions = {}): Buffer {
  const objects: Buffer[] = [];
  /** Returns the number of the object. */
  const add = (body: string | Buffer): number => objects.push(Buffer.from(body));
  const stream = (dictionary: string, data: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`<<${dictionary}/Length ${data.length}>>stream\n`), data, Buffer.from('\nendstream')]);

  const catalogue = add('<</Type/Catalog/Pages 2 0 R>>');
  const tree = add('');
  const font = add('<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>');
  const info = add(`<<${title === undefined ? '' : `/Title (${escaped(title)})`}>>`);
  const kids = pages.map((page) => {
    if ('picture' in page) {
      const { width, height, rgb } = page.picture;
      const facts = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8`;
      const image = add(stream(facts, rgb));
      const content = add(stream('', Buffer.from('q 595 0 0 842 0 0 cm /Im0 Do Q')));
      return add(pageObject(`/XObject<</Im0 ${image} 0 R>>`, content));
    }
    if ('packed' in page)
      return add(pageObject(`/Font<</F1 ${font} 0 R>>`, add(stream('/Filter/FlateDecode', page.packed))));
    const shown = page.lines.map((line) => `(${escaped(line)}) Tj T*`).join(' ');
    const content = add(stream('', Buffer.from(`BT /F1 12 Tf 14 TL 72 770 Td ${shown} ET`, 'latin1')));
    return add(pageObject(`/Font<</F1 ${font} 0 R>>`, content));
  });
  objects[tree - 1] = Buffer.from(
    `<</Type/Pages/Count ${kids.length}/Kids[${kids.map((kid) => `${kid} 0 R`).join(' ')}]>>`,
  );
  const trailer = [`/Size ${objects.length + 1}`, `/Root ${catalogue} 0 R`, `/Info ${info} 0 R`];
  if (isLocked) trailer.push(`/Encrypt ${add(LOCK)} 0 R`, `/ID[<${'00'.repeat(16)}><${'00'.repeat(16)}>]`);
  return written(objects, trailer.join(''));
}

const LOCK = `<</Filter/Standard/V 2/R 3/Length 128/P -4/O <${'11'.repeat(32)}>/U <${'22'.repeat(32)}>>>`;

function pageObject(resources: string, content: number): string {
  return `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<${resources}>>/Contents ${content} 0 R>>`;
}

function written(objects: readonly Buffer[], trailer: string): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let at = parts[0]?.length ?? 0;
  const put = (bytes: Buffer): void => {
    parts.push(bytes);
    at += bytes.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(at);
    put(Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]));
  }
  const start = at;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  put(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`));
  put(Buffer.from(`trailer<<${trailer}>>\nstartxref\n${start}\n%%EOF\n`));
  return Buffer.concat(parts);
}

function escaped(text: string): string {
  return text.replace(/[\\()]/g, '\\$&');
}
