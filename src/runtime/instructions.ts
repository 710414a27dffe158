// The instructions of a workspace, on the files of this machine.
import { access } from 'node:fs/promises';
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
    readBeneath,
    exists: (path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    async skills({ isTrusted, signal }) {
      const { skills: found } = await (await skills()).list({ workspace: files, signal });
      return found.filter(({ source }) => isTrusted || source === 'home');
    },
  });
}
