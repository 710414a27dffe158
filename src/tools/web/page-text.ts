import { decodeHtml } from '../../documents/html/decode-html.ts';
import { charsetOf } from '../../documents/text-charset.ts';
import type { Downloaded } from './download.ts';

/** What a page is, as text. `undefined`: it has none. */
export function plainText({ bytes, charset, mediaType }: Downloaded): string | undefined {
  if (isHtml(mediaType)) return decodeHtml(bytes, charset);
  if (!isText(mediaType) && bytes.subarray(0, 8_192).includes(0)) return undefined;
  return decoderFor(charset ?? charsetOf(bytes)).decode(bytes);
}

export function isHtml(mediaType: string): boolean {
  return mediaType === 'text/html' || mediaType === 'application/xhtml+xml';
}

function isText(mediaType: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml|javascript|ecmascript|toml)$|^application\/x-(?:ndjson|sh)$/.test(mediaType);
}

/** Unknown names are read as UTF-8. */
function decoderFor(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
