// The picture in the clipboard of the person's desktop, by the program that their system has for it.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const LARGEST = 40 * 1024 * 1024;
const PATIENCE_MS = 5_000;

interface Reader {
  program: string;
  args: readonly string[];
  decode(output: Buffer): Buffer;
}

const asIs = (output: Buffer): Buffer => output;

/** AppleScript writes the bytes as hexadecimal digits: `«data PNGf89504E47…»`. */
const fromAppleScript = (output: Buffer): Buffer =>
  Buffer.from(/PNGf([\dA-F]+)/.exec(output.toString('latin1'))?.[1] ?? '', 'hex');

const READERS = {
  macOs: { program: 'osascript', args: ['-e', 'get the clipboard as «class PNGf»'], decode: fromAppleScript },
  wayland: { program: 'wl-paste', args: ['--no-newline', '--type', 'image/png'], decode: asIs },
  x11: { program: 'xclip', args: ['-selection', 'clipboard', '-t', 'image/png', '-o'], decode: asIs },
} satisfies Record<string, Reader>;

export interface ClipboardOptions {
  platform: NodeJS.Platform;
  variables: Readonly<Record<string, string | undefined>>;
}

/** Empty where the clipboard holds no picture. Rejects with what is missing to read one. */
export async function readClipboardPicture({ platform, variables }: ClipboardOptions): Promise<Buffer> {
  const reader = readerOf(platform, variables);
  if (!reader) {
    throw new Error('There is no desktop here whose clipboard could be read: paste the path of a picture instead.');
  }
  const { program, args, decode } = reader;
  try {
    const options = { encoding: 'buffer', maxBuffer: LARGEST, timeout: PATIENCE_MS, env: { ...variables } } as const;
    return decode((await promisify(execFile)(program, [...args], options)).stdout);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return Buffer.alloc(0);
    throw new Error(
      `Reading pictures from the clipboard needs ${program}: install it, or paste the path of a picture.`,
    );
  }
}

function readerOf(platform: NodeJS.Platform, variables: ClipboardOptions['variables']): Reader | undefined {
  if (platform === 'darwin') return READERS.macOs;
  if (variables.WAYLAND_DISPLAY) return READERS.wayland;
  return variables.DISPLAY ? READERS.x11 : undefined;
}
