// A text file in a charset other than UTF-8 is edited as UTF-8 and written back in its own charset.
import { ToolFailure } from '../tool.ts';

export interface EditableText {
  /** In UTF-8. */
  text: Buffer;
  /** The bytes for the file. Throws ToolFailure where its charset lacks a character. */
  bytesOf(text: Buffer): Promise<Buffer>;
}

export async function inCharset(path: string, bytes: Buffer): Promise<EditableText> {
  const { charsetOf } = await import('../../documents/text-charset.ts');
  const charset = charsetOf(bytes);
  const bytesOf = (text: Buffer): Promise<Buffer> => inCharsetOf(bytes, path, text);
  if (charset === 'utf-8') return { text: bytes, bytesOf };
  const { encodeText } = await import('../../documents/encode-text.ts');
  const text = new TextDecoder(charset).decode(bytes);
  if (encodeText(text, charset, bytes)?.equals(bytes)) return { text: Buffer.from(text), bytesOf };
  throw new ToolFailure(
    `${path} is text in ${charset} with bytes that could not be written back as they are: nothing was changed`,
  );
}

/** The text in the charset of a file that has these bytes. Throws ToolFailure where that lacks a character. */
export async function inCharsetOf(bytes: Buffer, path: string, text: Buffer): Promise<Buffer> {
  const { charsetOf } = await import('../../documents/text-charset.ts');
  const charset = charsetOf(bytes);
  if (charset === 'utf-8') return text;
  const { encodeText } = await import('../../documents/encode-text.ts');
  const encoded = encodeText(text.toString('utf8'), charset, bytes);
  if (encoded) return encoded;
  throw new ToolFailure(
    `${path} is text in ${charset}, which lacks a character of the new text: use other characters, or convert the file to UTF-8 first`,
  );
}
