// What is tried during the race, by the workspace and by a program that checks a path and then uses it.
import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createEditFileTool } from '../../src/tools/fs/edit-file.ts';
import { nothingSeen } from '../../src/tools/fs/seen.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { WorkspaceError } from '../../src/vocabulary/workspace-error.ts';
import { createWorkspace, type WorkspaceOptions } from '../../src/workspace/confined.ts';
import type { Yard } from './yard.ts';

export type Mode = 'read' | 'list' | 'write' | 'edit' | 'mkdir';

/** Resolves to what was seen (a file's content, the names of a listing) or `inside` when something was written. */
export type Attempt = () => Promise<string>;

export async function createAttempt(yard: Yard, mode: Mode, weaker: Partial<WorkspaceOptions>): Promise<Attempt> {
  const workspace = await createWorkspace({ root: yard.root, ...weaker });
  let turn = 0;
  switch (mode) {
    case 'read':
      return async () => {
        const { handle } = await workspace.openFile('d/f');
        try {
          return await handle.readFile('utf8');
        } finally {
          await handle.close();
        }
      };
    case 'list':
      // In turn from above, where the link must not be entered, and straight, where it must not be followed.
      return async () => {
        turn += 1;
        const { entries } = await workspace.list(turn % 2 === 0 ? '.' : 'd', {
          recursive: true,
          maxDepth: 3,
          maxEntries: 100,
        });
        return entries.map((entry) => entry.path).join(' ');
      };
    case 'write':
      // In turn an old file, a new one, one in a new directory, and the end of a file.
      return async () => {
        turn += 1;
        const path = ['d/f', `d/new-${turn % 10}`, `d/made-${turn % 10}/new`, 'd/f'][turn % 4] ?? 'd/f';
        const mode = turn % 4 === 3 ? 'append' : 'overwrite';
        await workspace.writeFile(path, Buffer.from('inside'), { mode, createParents: true, maxBytes: 10_000 });
        // What was made goes again, so that the next attempt finds the name free.
        if (turn % 4 === 1) await workspace.remove(path, { kind: 'file' });
        return 'inside';
      };
    case 'edit': {
      const tool = createEditFileTool();
      const context = {
        workspace,
        seen: nothingSeen,
        changes: { async record() {} },
        signal: new AbortController().signal,
        now: () => 0,
      } as unknown as ToolContext;
      return async () => {
        turn += 1;
        // A file from outside holds other text: finding it there would be an escape too.
        const [oldText, newText] = turn % 2 === 0 ? ['side', 'side!'] : ['inside', 'ins1de, inside'];
        const { text = '' } = await tool.execute({ path: 'd/f', oldText, newText, replaceAll: true }, context);
        if (turn % 20 === 0) {
          const whole = Buffer.from('inside');
          await workspace.writeFile('d/f', whole, { mode: 'overwrite', createParents: false }).catch(() => {});
        }
        return text;
      };
    }
    case 'mkdir':
      return async () => {
        turn += 1;
        const path = `d/made-${turn % 10}/deeper/deepest`;
        await workspace.makeDirectory(path);
        if (turn % 2 === 0) await workspace.remove(path, { kind: 'empty-directory' });
        return 'inside';
      };
  }
}

/** What most programs do: look where the path leads, then use the path. */
export function createNaiveAttempt({ root }: Yard, mode: Mode): Attempt {
  let turn = 0;
  return async () => {
    turn += 1;
    const creates = mode === 'mkdir' || (mode === 'write' && turn % 2 === 0);
    const path = `${root}/${creates ? 'd/new' : mode === 'list' ? 'd' : 'd/f'}`;
    const real = await realpath(creates ? dirname(path) : path);
    if (!real.startsWith(`${root}/`)) throw new WorkspaceError('outside', 'outside');
    switch (mode) {
      case 'read':
        return readFile(path, 'utf8');
      case 'list':
        return (await readdir(path)).join(' ');
      case 'edit':
        await readFile(path, 'utf8');
        await writeFile(path, 'edited inside');
        return 'inside';
      case 'write':
        await writeFile(path, 'inside');
        return 'inside';
      case 'mkdir':
        await mkdir(path, { recursive: true });
        return 'inside';
    }
  };
}
