const TYPES: { mimeType: string; starts: (bytes: Buffer) => boolean }[] = [
  { mimeType: 'image/png', starts: (bytes) => bytes.subarray(0, 4).toString('latin1') === '\x89PNG' },
  { mimeType: 'image/jpeg', starts: (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 },
  { mimeType: 'image/gif', starts: (bytes) => bytes.subarray(0, 4).toString('latin1') === 'GIF8' },
  { mimeType: 'image/webp', starts: (bytes) => bytes.subarray(8, 12).toString('latin1') === 'WEBP' },
];

/** The MIME type of a picture that models take, by its first bytes; undefined when it is none. */
export function imageType(bytes: Buffer): string | undefined {
  return TYPES.find(({ starts }) => starts(bytes))?.mimeType;
}
