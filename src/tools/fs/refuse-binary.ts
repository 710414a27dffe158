import { ToolFailure } from '../tool.ts';

/** Refuses to edit what has no text. */
export function refuseBinary(path: string, bytes: Buffer): void {
  if (!bytes.includes(0)) return;
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const kind = isUtf16 ? 'text in UTF-16, which cannot be edited here' : 'a binary file: it has no text to edit';
  throw new ToolFailure(`${path} is ${kind}`);
}
