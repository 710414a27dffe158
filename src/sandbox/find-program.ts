// The programs a sandbox is built with come from the system's directories only: a workspace on PATH could offer its own.
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

export const SYSTEM_DIRECTORIES: readonly string[] = [
  '/usr/bin',
  '/bin',
  '/usr/local/bin',
  '/run/current-system/sw/bin',
];

export function findProgram(name: string, directories: readonly string[]): string | undefined {
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
