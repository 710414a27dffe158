// A text in the person's own editor: a copy in a folder of its own, which only they can read.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Terminal, UsageError } from './terminal.ts';

export interface EditedCopy {
  text: string;
  path: string;
  discard(): Promise<void>;
}

/** Resolves when the editor has ended. The copy stays until it is discarded. */
export async function editCopy(name: string, source: string, { environment, signal }: Terminal): Promise<EditedCopy> {
  const { VISUAL, EDITOR } = environment.variables;
  const editor = VISUAL || EDITOR;
  if (!editor)
    throw new UsageError('no editor is named: set VISUAL or EDITOR, or use "lainclaw config set <key> <value>"');
  const directory = await mkdtemp(join(tmpdir(), 'lainclaw-edit-'));
  const path = join(directory, name);
  const discard = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    await writeFile(path, source, { mode: 0o600 });
    await run(editor, path, environment.variables, signal);
    return { text: await readFile(path, 'utf8'), path, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** An editor may be named with its flags ("code --wait"): the shell splits them, and the path is never part of its text. */
function run(
  editor: string,
  path: string,
  env: Terminal['environment']['variables'],
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit', env: { ...env } });
  const onAbort = (): void => void child.kill();
  signal.addEventListener('abort', onAbort, { once: true });
  child.on('error', reject);
  child.on('close', (code) => {
    signal.removeEventListener('abort', onAbort);
    if (code === 0) resolve();
    else reject(new UsageError(`the editor (${editor}) ended with ${code ?? 'a signal'}: nothing was changed`));
  });
  return promise;
}
