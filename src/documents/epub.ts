import { posix } from 'node:path';
import { DocumentProblem, type OpenDocument } from './document.ts';
import { decodeHtml } from './html/decode-html.ts';
import { wholePage } from './html/readable-page.ts';
import { readXml } from './xml.ts';
import type { Zip } from './zip.ts';

const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';

export function openEpub(zip: Zip): OpenDocument {
  const { title, chapters } = readPackage(zip, packageOf(zip));
  const locked = encryptedParts(zip);
  return {
    label: 'book (EPUB)',
    ...(title && { title }),
    unit: 'chapter',
    count: chapters.length,
    read(index) {
      const chapter = chapters[index] as string;
      if (locked.has(chapter))
        throw new DocumentProblem(
          'locked',
          `its chapter ${index + 1} is encrypted: only the reader it was sold for shows it`,
        );
      const text = wholePage(decodeHtml(zip.read(chapter), undefined), '');
      return { heading: `--- chapter ${index + 1} ---`, text: text || '(no text)' };
    },
  };
}

function packageOf(zip: Zip): string {
  let path = '';
  readXml(zip.read(CONTAINER), {
    open(name, attributes) {
      if (name === 'rootfile' && path === '') path = attributes['full-path'] ?? '';
    },
  });
  return path;
}

/** The chapters in the order of reading. */
function readPackage(zip: Zip, part: string): { title: string; chapters: string[] } {
  const places = new Map<string, string>();
  const order: string[] = [];
  let title = '';
  let isTitle = false;
  readXml(zip.read(part), {
    open(name, { id = '', href = '', idref = '' }) {
      if (name === 'item') places.set(id, posix.join(posix.dirname(part), unescaped(href)));
      else if (name === 'itemref') order.push(idref);
      else if (name === 'title') isTitle = title === '';
    },
    text(text) {
      if (isTitle) title += text;
    },
    close(name) {
      if (name === 'title') isTitle = false;
    },
  });
  const chapters = order.flatMap((id) => places.get(id) ?? []);
  if (chapters.length === 0) throw new DocumentProblem('damaged', 'it names no chapters');
  return { title: title.trim(), chapters };
}

/** Fonts are often scrambled, which does not matter here. */
function encryptedParts(zip: Zip): Set<string> {
  const parts = new Set<string>();
  if (!zip.has(ENCRYPTION)) return parts;
  readXml(zip.read(ENCRYPTION), {
    open(name, attributes) {
      if (name === 'CipherReference') parts.add(unescaped(attributes.URI ?? ''));
    },
  });
  return parts;
}

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
