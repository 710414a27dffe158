// A file that a command writes, piece by piece: private, whole or absent, and never in place of another one unless
// that was asked for. The pieces go to a file beside it that takes its name at the end.
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CommandError } from './command-error.ts';

const BATCH_CHARACTERS = 256 * 1024;

export interface OutputFile {
  readonly path: string;
  write(text: string): Promise<void>;
  writeBytes(bytes: Buffer): Promise<void>;
  /** Resolves once the file is there, whole and durable. */
  finish(): Promise<void>;
  /** Leaves nothing behind; harmless after `finish`. */
  discard(): Promise<void>;
}

export interface OutputFileOptions {
  force: boolean;
  newId(prefix: string): string;
}

export async function openOutputFile(path: string, { force, newId }: OutputFileOptions): Promise<OutputFile> {
  await refuseExisting(path, force);
  const temporary = join(dirname(path), newId(`.${basename(path).slice(0, 100)}`));
  let handle: FileHandle;
  try {
    handle = await open(temporary, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
    await handle.chmod(0o600);
  } catch (error) {
    throw failed(path, error);
  }
  let waiting: string[] = [];
  let characters = 0;
  let isOpen = true;

  async function flush(): Promise<void> {
    const text = waiting.join('');
    waiting = [];
    characters = 0;
    await handle.writeFile(text).catch((error: unknown) => {
      throw failed(path, error);
    });
  }

  return {
    path,
    async write(text) {
      waiting.push(text);
      characters += text.length;
      if (characters >= BATCH_CHARACTERS) await flush();
    },
    async writeBytes(bytes) {
      await flush();
      await handle.writeFile(bytes).catch((error: unknown) => {
        throw failed(path, error);
      });
    },
    async finish() {
      await flush();
      try {
        await handle.sync();
        await handle.close();
        await (force ? rename(temporary, path) : claim(temporary, path));
        isOpen = false;
        await syncDirectory(dirname(path));
      } catch (error) {
        throw failed(path, error);
      }
    },
    async discard() {
      if (!isOpen) return;
      isOpen = false;
      await handle.close().catch(() => {});
      await unlink(temporary).catch(() => {});
    },
  };
}

/** Takes the name only while nobody has it; where the file system has no links, as near to that as can be. */
async function claim(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    await refuseExisting(path, false);
    return rename(temporary, path);
  }
  await unlink(temporary);
}

async function refuseExisting(path: string, force: boolean): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return;
  if (!force) throw new CommandError('OUTPUT_EXISTS', alreadyThere(path));
  if (!found.isFile() && !found.isSymbolicLink())
    throw new CommandError('OUTPUT_FILE', `${path} is not a file: name another one`);
}

function alreadyThere(path: string): string {
  return `${path} is there already: name another file, or replace it with --force`;
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function failed(path: string, error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST') return new CommandError('OUTPUT_EXISTS', alreadyThere(path));
  if (code === 'ENOENT') return new CommandError('OUTPUT_FILE', `${dirname(path)} does not exist: make it first`);
  return new CommandError('OUTPUT_FILE', `${path} could not be written: ${message}`);
}
