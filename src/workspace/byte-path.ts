// File names are bytes, not text. While walking, a path is a byte path: a string with one character per byte
// (latin1), so names that are not valid UTF-8 survive and comparing strings compares bytes.

export function toBytePath(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** For people: bytes that are not valid UTF-8 become U+FFFD. */
export function toText(bytePath: string): string {
  return Buffer.from(bytePath, 'latin1').toString('utf8');
}

/** The form in which node passes the bytes to the system unchanged. */
export function toSystem(bytePath: string): Buffer {
  return Buffer.from(bytePath, 'latin1');
}

export function join(directory: string, name: string): string {
  return directory.endsWith('/') ? directory + name : `${directory}/${name}`;
}
