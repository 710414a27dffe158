// The text of what a request asks for, in whole parts as far as they fit. A part that is longer than all that fits is cut at a
// line, and the answer says from which line of it to read on.
import {
  type DocumentPicture,
  DocumentProblem,
  type DocumentRequest,
  type DocumentText,
  type OpenDocument,
} from './document.ts';
import { selectParts } from './page-range.ts';

/** Each costs a model as much as two pages of text. */
const MOST_PICTURES = 6;

export async function selectText(document: OpenDocument, request: DocumentRequest): Promise<DocumentText> {
  const { startLine = 1, maxLines = Number.POSITIVE_INFINITY, maxCharacters } = request;
  const { indexes, cells } = selectParts(request.pages, document);
  const lines: string[] = [];
  const pictures: DocumentPicture[] = [];
  let characters = 0;
  let toSkip = startLine - 1;
  let last = 0;
  let next: DocumentText['next'];
  for (const [place, index] of indexes.entries()) {
    const wantsPictures = pictures.length < MOST_PICTURES ? request.pictures : 'none';
    const part = await document.read(index, { pictures: wantsPictures, cells });
    const partLines = linesOf(part.heading, part.text);
    const skipped = Math.min(toSkip, partLines.length);
    toSkip -= skipped;
    const found = partLines.slice(skipped);
    const isFirst = lines.length === 0;
    const room = fitting(found, maxLines - lines.length, maxCharacters - characters, isFirst);
    const lacksPicture = part.hasPicture === true && wantsPictures === 'none' && request.pictures !== 'none';
    if (lacksPicture || (room < found.length && !isFirst)) {
      next = { pages: rest(indexes, place) };
      break;
    }
    const taken = found.slice(0, room);
    // One by one: as arguments of one call, many lines overflow the stack.
    for (const line of taken) {
      lines.push(line);
      characters += line.length + 1;
    }
    pictures.push(...(part.pictures ?? []));
    last = place;
    if (room < found.length) {
      const pages = cells ? request.pages : rest(indexes, place);
      next = { ...(document.unit && { pages }), startLine: skipped + room + 1 };
      break;
    }
  }
  if (lines.length === 0 && startLine > 1)
    throw new DocumentProblem('no_such_part', `there is no line ${startLine}: the text ends before`);
  return {
    label: document.label,
    ...(document.title && { title: document.title }),
    ...(document.unit && {
      parts: {
        unit: document.unit,
        count: document.count,
        first: (indexes[0] ?? 0) + 1,
        last: (indexes[last] ?? 0) + 1,
        ...(document.names && { names: document.names }),
      },
    }),
    text: lines.join('\n'),
    pictures,
    ...(next && { next }),
    notes: [],
  };
}

const LONGEST_LINE = 20_000;

function linesOf(heading: string | undefined, text: string): string[] {
  const lines = text.replace(/\s+$/, '').split('\n');
  const short = lines.map((line) =>
    line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}… (${line.length} characters)` : line,
  );
  return heading === undefined ? short : [heading, ...short, ''];
}

/** How many of the lines fit; of the part that begins the text at least one. */
function fitting(lines: readonly string[], mostLines: number, mostCharacters: number, isFirst: boolean): number {
  let count = 0;
  let characters = 0;
  for (const line of lines) {
    characters += line.length + 1;
    if (count >= mostLines || (characters > mostCharacters && !(isFirst && count === 0))) break;
    count += 1;
  }
  return count;
}

/** What is left, as `pages` takes it. */
function rest(indexes: readonly number[], place: number): string {
  const left = indexes.slice(place).map((index) => index + 1);
  const runs: string[] = [];
  for (let at = 0; at < left.length; ) {
    let end = at;
    while (end + 1 < left.length && left[end + 1] === (left[end] ?? 0) + 1) end += 1;
    runs.push(end > at ? `${left[at]}-${left[end]}` : `${left[at]}`);
    at = end + 1;
  }
  return runs.join(',');
}
