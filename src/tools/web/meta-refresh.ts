// Where a page sends its readers at once, in its own words: many a documentation's first page does nothing else.

const HEAD_BYTES = 16 * 1024;
/** A page that waits longer wants to be read first. */
const LONGEST_SECONDS = 2;

/** The whole address; undefined: the page is read where it is. */
export function refreshTarget(url: URL, mediaType: string, bytes: Buffer): string | undefined {
  if (mediaType !== 'text/html' && mediaType !== 'application/xhtml+xml') return undefined;
  const head = bytes
    .subarray(0, HEAD_BYTES)
    .toString('utf8')
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  for (const [tag] of head.matchAll(/<meta\s[^<>]{1,2000}>/gi)) {
    if (attribute(tag, 'http-equiv')?.toLowerCase() !== 'refresh') continue;
    const [, seconds, target] =
      /^\s*(\d+)(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?['"]?([^'"]+)/i.exec(attribute(tag, 'content') ?? '') ?? [];
    if (target === undefined || Number(seconds) > LONGEST_SECONDS) continue;
    const found = URL.parse(target.trim().replaceAll('&amp;', '&'), url.href);
    if (!found) continue;
    found.hash = '';
    return found.href === url.href ? undefined : found.href;
  }
  return undefined;
}

function attribute(tag: string, name: string): string | undefined {
  const [, inDouble, inSingle, plain] =
    new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(tag) ?? [];
  return inDouble ?? inSingle ?? plain;
}
