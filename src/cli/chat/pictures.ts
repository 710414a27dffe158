// Pictures and documents in a message: a path that is pasted or dropped, or a picture in the clipboard, becomes `[picture 1]` or `[document 1]` in the input and goes with the message
// as long as the mark is in it. The bytes are read at once: what a screenshot program leaves behind is soon gone.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPicture, KIND_BYTES } from '../../documents/document-kind.ts';
import type { Attachment } from '../../pipeline/attachments.ts';
import { isDocument } from '../../pipeline/document-attachment.ts';
import { attachedPicture, documentAttachments, LARGEST_DOCUMENT } from '../document-attachment.ts';

const LARGEST = 10 * 1024 * 1024;
/** The last ones can be sent again after a failure. */
const KEPT = 20;
const EXTENSION = /\.(?:png|jpe?g|gif|webp|tiff?|avif|hei[cf]|bmp|pdf|docx|xlsx|pptx|epub|ipynb)$/i;
const PASTE = { begins: '\x1b[200~', ends: '\x1b[201~' };
const LONGEST_PASTE = 4_096;

export interface PicturesDependencies {
  /** Where paths start. */
  root: string;
  userHome: string;
  /** The bytes of a picture in the clipboard; rejects with why there are none. */
  readClipboard(): Promise<Buffer>;
  /** Writes into the input, where the cursor is. */
  insert(text: string): void;
  notice(text: string): void;
}

export interface Pictures {
  /** Takes what was pasted when it is nothing but paths of pictures and documents; false leaves it to the input. */
  takePaste(data: string): boolean;
  takeClipboard(): Promise<void>;
  /** The pictures and documents whose marks are in a text. Rejects with why a document cannot be read. */
  attachmentsIn(text: string): Promise<Attachment[]>;
}

export function createPictures({ root, userHome, readClipboard, insert, notice }: PicturesDependencies): Pictures {
  const known = new Map<number, () => Promise<Attachment[]>>();
  let count = 0;

  /** Returns its mark; undefined when it is not a picture that can be sent. */
  function keep(bytes: Buffer, name?: string): string | undefined {
    const isShown = isPicture(bytes.subarray(0, KIND_BYTES));
    if (!isShown && !(name !== undefined && isDocument(bytes, name))) return undefined;
    const [what, largest] = isShown ? ['picture', LARGEST] : ['document', LARGEST_DOCUMENT];
    if (bytes.length > largest) {
      notice(`The ${what} has ${bytes.length} bytes; accepted: up to ${largest}.`);
      return undefined;
    }
    count += 1;
    const marked = markedName(count, name);
    known.set(count, async () =>
      isShown ? [await attachedPicture(bytes, marked)] : documentAttachments(bytes, name ?? marked),
    );
    known.delete(count - KEPT);
    return `[${what} ${count}]`;
  }

  async function takeClipboard(): Promise<void> {
    try {
      const mark = keep(await readClipboard());
      if (mark === undefined) notice('There is no picture in the clipboard.');
      else insert(`${mark} `);
    } catch (error) {
      notice((error as Error).message);
    }
  }

  const numbersIn = (text: string): number[] => [
    ...new Set([...text.matchAll(/\[(?:picture|document) (\d+)\]/g)].map(([, number]) => Number(number))),
  ];
  return {
    takePaste(data) {
      if (!data.startsWith(PASTE.begins) || !data.endsWith(PASTE.ends)) return false;
      const pasted = data.slice(PASTE.begins.length, -PASTE.ends.length);
      if (pasted === '') {
        // Some terminals paste nothing where the clipboard holds a picture.
        void takeClipboard();
        return true;
      }
      if (pasted.length > LONGEST_PASTE) return false;
      const absolute = (path: string): string => resolve(root, path.replace(/^~(?=\/)/, userHome));
      const read = readingsOf(pasted.trim()).map((paths) => readAll(paths.map(absolute)));
      const pictures = read.find((each) => each.length > 0);
      if (!pictures) return false;
      const marks = pictures.flatMap(({ bytes, name }) => keep(bytes, name) ?? []);
      if (marks.length > 0) insert(`${marks.join(' ')} `);
      return true;
    },
    takeClipboard,
    async attachmentsIn(text) {
      const read = await Promise.all(numbersIn(text).map((number) => known.get(number)?.() ?? []));
      return read.flat();
    },
  };
}

function markedName(number: number, name: string | undefined): string {
  return name === undefined ? String(number) : `${number} (${name})`;
}

/** One path as it stands, or several as a shell would read them. */
function readingsOf(text: string): string[][] {
  const words = text.match(/(?:\\.|'[^']*'|"[^"]*"|[^\s\\'"])+/g) ?? [];
  return [[text], words.map(asPath)];
}

function asPath(word: string): string {
  const plain = word.replace(
    /'([^']*)'|"([^"]*)"|\\(.)/g,
    (_found, single, double, escaped) => single ?? double ?? escaped,
  );
  if (!plain.startsWith('file://')) return plain;
  try {
    return fileURLToPath(plain);
  } catch {
    return plain;
  }
}

interface Picture {
  bytes: Buffer;
  name: string;
}

/** None where one of them is neither a picture nor a document. */
function readAll(paths: readonly string[]): Picture[] {
  const read = paths.map(readPicture);
  return read.every((picture) => picture !== undefined) ? (read as Picture[]) : [];
}

/** The bytes of a regular file that begins as a picture or a document does, up to a little more than may be sent. */
function readPicture(path: string): Picture | undefined {
  if (!EXTENSION.test(path)) return undefined;
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > 4 * LARGEST) return undefined;
    const bytes = readFileSync(file);
    return isPicture(bytes.subarray(0, KIND_BYTES)) || isDocument(bytes, path)
      ? { bytes, name: basename(path) }
      : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
