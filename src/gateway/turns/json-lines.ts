import { StringDecoder } from 'node:string_decoder';

/** A line beyond it is a defect of the other side. */
export const LARGEST_RELAY_BATCH = 64 * 1024 * 1024;

/** One JSON value a line. Throws on a line that is not JSON, and on one that never ends. */
export async function* readJsonLines<T>(bytes: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<T> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  for await (const part of bytes) {
    text += decoder.write(part);
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line) as T;
    if (text.length > LARGEST_RELAY_BATCH) throw new Error('a line is too long');
  }
}
