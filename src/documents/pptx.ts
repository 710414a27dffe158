import { DocumentProblem, type OpenDocument } from './document.ts';
import { officeTitle, relationshipsOf } from './relationships.ts';
import { tableLines } from './table-lines.ts';
import { readXml } from './xml.ts';
import type { Zip } from './zip.ts';

const PRESENTATION = 'ppt/presentation.xml';

export function openPresentation(zip: Zip): OpenDocument {
  const slides = slidesOf(zip);
  const title = officeTitle(zip);
  return {
    label: 'presentation',
    ...(title && { title }),
    unit: 'slide',
    count: slides.length,
    read(index) {
      const part = slides[index] as string;
      const notes = [...relationshipsOf(zip, part).values()].find(({ type }) => type === 'notesSlide')?.target;
      const spoken = notes && zip.has(notes) ? slideText(zip.read(notes)) : '';
      const text = [slideText(zip.read(part)) || '(no text)', ...(spoken ? [`Notes: ${spoken}`] : [])].join('\n\n');
      return { heading: `--- slide ${index + 1} ---`, text };
    },
  };
}

function slidesOf(zip: Zip): string[] {
  const parts = relationshipsOf(zip, PRESENTATION);
  const slides: string[] = [];
  readXml(zip.read(PRESENTATION), {
    open(name, attributes) {
      const target = name === 'sldId' ? parts.get(attributes['r:id'] ?? '')?.target : undefined;
      if (target !== undefined) slides.push(target);
    },
  });
  if (slides.length === 0) throw new DocumentProblem('damaged', 'it has no slides');
  return slides;
}

/** Of placeholders that programs fill in. */
const NOT_SAID = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg']);

function slideText(bytes: Buffer): string {
  const lines: string[] = [];
  let shape: string[] = [];
  let placeholder = '';
  let paragraph = '';
  let isText = false;
  let table: string[][] | undefined;
  readXml(bytes, {
    open(name, { type = '', descr = '' }) {
      if (name === 'sp') [shape, placeholder] = [[], ''];
      else if (name === 'ph') placeholder = type;
      else if (name === 'p') paragraph = '';
      else if (name === 'br') paragraph += '\n';
      else if (name === 't') isText = true;
      else if (name === 'tbl') table = [];
      else if (name === 'tr') table?.push([]);
      else if (name === 'tc') shape = [];
      else if (name === 'cNvPr' && descr !== '') lines.push(`[picture: ${descr}]`);
    },
    text(text) {
      if (isText) paragraph += text;
    },
    close(name) {
      if (name === 't') isText = false;
      else if (name === 'p' && paragraph.trim() !== '') shape.push(paragraph.trim());
      else if (name === 'tc') table?.at(-1)?.push(shape.join(' '));
      else if (name === 'tbl') {
        // One by one: as arguments of one call, many lines overflow the stack.
        for (const line of tableLines(table ?? [])) lines.push(line);
        table = undefined;
      } else if (name === 'sp' && !NOT_SAID.has(placeholder)) {
        const isTitle = placeholder === 'title' || placeholder === 'ctrTitle';
        for (const line of shape) lines.push(isTitle ? `# ${line}` : line);
      }
      if (name === 'p') paragraph = '';
    },
  });
  return lines.join('\n');
}
