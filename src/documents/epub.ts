// A book, a chapter at a time. Books are made by many programs: what is wrong in the list of its parts, or missing, costs that part.

import { posix } from 'node:path';
import { percentDecoded } from '../lib/percent-decoded.ts';
import { DocumentProblem, type OpenDocument } from './document.ts';
import { decodeHtml } from './html/decode-html.ts';
import { wholePage } from './html/readable-page.ts';
import { readXml } from './xml.ts';
import type { Zip } from './zip.ts';

const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';
const LENIENT = { isLenient: true };

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
      return { heading: `--- chapter ${index + 1} ---`, text: chapterText(zip, chapter) };
    },
  };
}

function chapterText(zip: Zip, chapter: string): string {
  try {
    return wholePage(decodeHtml(zip.read(chapter), undefined), '') || '(no text)';
  } catch (error) {
    if (error instanceof DocumentProblem && error.code === 'damaged') return `(not readable: ${error.message})`;
    throw error;
  }
}

function packageOf(zip: Zip): string {
  let path = '';
  readXml(
    zip.read(CONTAINER),
    {
      open(name, attributes) {
        if (name === 'rootfile' && path === '') path = attributes['full-path'] ?? '';
      },
    },
    LENIENT,
  );
  if (zip.has(path)) return path;
  return zip.entries.find(({ name }) => name.endsWith('.opf'))?.name ?? path;
}

/** The chapters in the order of reading; where the book names none, its pages in the order of its list. */
function readPackage(zip: Zip, part: string): { title: string; chapters: string[] } {
  const places = new Map<string, string>();
  const pages: string[] = [];
  const order: string[] = [];
  let title = '';
  let isTitle = false;
  readXml(
    zip.read(part),
    {
      open(name, { id = '', href = '', idref = '' }) {
        if (name === 'item') {
          const place = posix.join(posix.dirname(part), percentDecoded(href));
          places.set(id, place);
          if (/\.x?html?$/i.test(place)) pages.push(place);
        } else if (name === 'itemref') order.push(idref);
        else if (name === 'title') isTitle = title === '';
      },
      text(text) {
        if (isTitle) title += text;
      },
      close(name) {
        if (name === 'title') isTitle = false;
      },
    },
    LENIENT,
  );
  const named = order.flatMap((id) => places.get(id) ?? []);
  const chapters = named.length > 0 ? named : pages;
  if (!chapters.some((chapter) => zip.has(chapter))) throw new DocumentProblem('damaged', 'it has no chapters');
  return { title: title.trim(), chapters };
}

/** Fonts are often scrambled, which does not matter here. */
function encryptedParts(zip: Zip): Set<string> {
  const parts = new Set<string>();
  if (!zip.has(ENCRYPTION)) return parts;
  readXml(zip.read(ENCRYPTION), {
    open(name, attributes) {
      if (name === 'CipherReference') parts.add(percentDecoded(attributes.URI ?? ''));
    },
  });
  return parts;
}
