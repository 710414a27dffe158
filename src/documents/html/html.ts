import type { ByteSource } from '../byte-source.ts';
import type { OpenDocument } from '../document.ts';
import { decodeHtml } from './decode-html.ts';
import { readablePage } from './readable-page.ts';

/** Its main text, as of a page that is fetched. Addresses in it stay relative. */
export function openHtml(source: ByteSource): OpenDocument {
  const { title, markdown, isCut } = readablePage(decodeHtml(source.readAll(), undefined), '');
  const text = isCut ? `${markdown}\n\n(the page is longer than what is read of one)` : markdown;
  return { label: 'HTML page', ...(title && { title }), count: 1, read: () => ({ text: text || '(no text)' }) };
}
