// The instructions of a workspace, on the files of this machine.
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { createInstructions, type Instructions } from '../instructions/instructions.ts';
import type { Skills } from '../skills/skills.ts';
import type { Trust } from '../storage/storage.ts';
import { readBeneath } from '../workspace/read-beneath.ts';
import type { Workspace } from '../workspace/workspace.ts';

export interface OpenInstructionsOptions {
  home: string;
  trust: Trust;
  files: Workspace;
  skills(): Promise<Skills>;
}

export function openInstructions({ home, trust, files, skills }: OpenInstructionsOptions): Instructions {
  return createInstructions({
    home,
    trust,
    // Every turn looks, and mostly there is nothing: looking is synchronous, reading is not.
    readBeneath: async (folder, path, limit) =>
      lstatSync(join(folder, path), { throwIfNoEntry: false }) && readBeneath(folder, path, limit),
    exists: async (path) => existsSync(path),
    async skills({ isTrusted, signal }) {
      const folders = [join(home, 'skills'), ...(isTrusted ? [join(files.root, 'skills')] : [])];
      if (!folders.some((folder) => existsSync(folder))) return [];
      const { skills: found } = await (await skills()).list({ workspace: files, signal });
      return found.filter(({ source }) => isTrusted || source === 'home');
    },
  });
}
