// A Jupyter notebook by cell: source and what it printed. Pictures among the outputs are shown.
import type { ByteSource } from './byte-source.ts';
import { type DocumentPicture, DocumentProblem, type OpenDocument } from './document.ts';

const LONGEST_OUTPUT = 5_000;

interface Cell {
  cell_type?: unknown;
  source?: unknown;
  execution_count?: unknown;
  outputs?: unknown;
}

export function openNotebook(source: ByteSource): OpenDocument {
  const { cells, language } = parse(source.readAll());
  return {
    label: `notebook${language ? ` (${language})` : ''}`,
    unit: 'cell',
    count: cells.length,
    read(index, { pictures: wanted }) {
      const cell = cells[index] as Cell;
      const source = textOf(cell.source);
      if (cell.cell_type !== 'code') return { heading: `--- cell ${index + 1} ---`, text: source };
      const outputs = (Array.isArray(cell.outputs) ? cell.outputs : []).map((output) => outputOf(output ?? {}));
      const pictures = outputs.flatMap((output) => output.pictures);
      const printed = outputs.flatMap(({ text }) => (text === '' ? [] : [text]));
      const text = [`\`\`\`${language}\n${source}\n\`\`\``, ...(printed.length > 0 ? ['Output:', ...printed] : [])];
      return {
        heading: `--- cell ${index + 1}, code ---`,
        text: text.join('\n'),
        hasPicture: pictures.length > 0,
        ...(wanted !== 'none' && { pictures }),
      };
    },
  };
}

function parse(bytes: Buffer): { cells: Cell[]; language: string } {
  let notebook: {
    cells?: unknown;
    metadata?: { kernelspec?: { language?: unknown }; language_info?: { name?: unknown } };
  };
  try {
    notebook = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new DocumentProblem('damaged', `it is not valid JSON: ${(error as Error).message}`, error);
  }
  const cells = notebook?.cells;
  const isWhole = Array.isArray(cells) && cells.every((cell) => typeof cell === 'object' && cell !== null);
  if (!isWhole || cells.length === 0)
    throw new DocumentProblem('damaged', 'it has no cells: view "source" shows the text as it is');
  const { kernelspec, language_info } = notebook.metadata ?? {};
  const language = kernelspec?.language ?? language_info?.name;
  return { cells, language: typeof language === 'string' && /^[\w+#-]{1,20}$/.test(language) ? language : '' };
}

interface Output {
  text?: unknown;
  data?: Record<string, unknown>;
  ename?: unknown;
  evalue?: unknown;
  traceback?: unknown;
}

function outputOf({ text, data = {}, ename, evalue, traceback }: Output): {
  text: string;
  pictures: DocumentPicture[];
} {
  const pictures = ['image/png', 'image/jpeg'].flatMap((mediaType) => {
    const encoded = textOf(data[mediaType]);
    return encoded === '' ? [] : [{ mediaType, bytes: Buffer.from(encoded, 'base64') }];
  });
  const failed = traceback === undefined ? '' : textOf(traceback, '\n') || `${ename}: ${evalue}`;
  const plain = pictures.length > 0 ? '(a picture)' : textOf(data['text/plain']);
  const shown = [textOf(text), plain, failed].filter((each) => each !== '').join('\n');
  return { text: shortened(withoutColours(shown).trimEnd()), pictures };
}

/** A text, or its lines. */
function textOf(value: unknown, between = ''): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join(between) : '';
}

function shortened(text: string): string {
  if (text.length <= LONGEST_OUTPUT) return text;
  return `${text.slice(0, LONGEST_OUTPUT)}\n(… ${text.length - LONGEST_OUTPUT} more characters)`;
}

function withoutColours(text: string): string {
  return text.replaceAll(new RegExp(`${String.fromCharCode(0x1b)}\\[[0-9;]{0,20}m`, 'g'), '');
}
