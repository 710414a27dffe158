// @ts-expect-error The package has no types.
import sniff from 'html-encoding-sniffer';
import { charsetOf } from '../text-charset.ts';

/** The name of the encoding as the Encoding Standard spells it. */
const sniffEncoding: (
  bytes: Uint8Array,
  options: { transportLayerEncodingLabel?: string; defaultEncoding?: string },
) => string = sniff;

/** By the header, the byte order mark or the page's own word, in the order that browsers follow; else by its bytes. */
export function decodeHtml(bytes: Uint8Array, charset: string | undefined): string {
  const name = sniffEncoding(bytes, { transportLayerEncodingLabel: charset, defaultEncoding: charsetOf(bytes) });
  return new TextDecoder(name === 'replacement' ? 'utf-8' : name).decode(bytes);
}
