// Where the files are that a command must not read: ripgrep lists everything, ignored files too, and of what is hidden the
// topmost directories are reported, because a sandbox hides whole directories.
import { dirname } from 'node:path';
import type { Workspace } from '../../workspace/workspace.ts';
import { orToolFailure } from '../fs/failure.ts';
import type { HidesPath } from '../permissions/hides-path.ts';
import { ToolFailure } from '../tool.ts';
import { findRipgrep } from './program.ts';
import { ripgrep, withoutRoot } from './ripgrep.ts';

/** Each costs the sandbox a mount. */
const MOST_COVERED = 200;

/** Absolute paths. Rejects when there are more than a sandbox can cover. */
export async function findHidden(workspace: Workspace, hides: HidesPath, signal: AbortSignal): Promise<string[]> {
  const held = await workspace.hold('.', signal).catch(orToolFailure);
  const covered = new Set<string>();
  try {
    await ripgrep({
      held,
      flags: ['--files', '--null', '--no-ignore', '--hidden'],
      signal,
      program: findRipgrep,
      separator: '\0',
      onRecord(record) {
        const name = withoutRoot(record);
        if (hides(name)) covered.add(topmost(name, hides));
        return covered.size <= MOST_COVERED;
      },
    });
  } finally {
    held.release();
  }
  if (covered.size <= MOST_COVERED) return [...covered].map((path) => `${workspace.root}/${path}`);
  throw new ToolFailure(
    `deny rules on reading fit more than ${MOST_COVERED} places in the workspace, too many to hide from a command: deny whole directories instead`,
    { reason: 'denied' },
  );
}

function topmost(path: string, hides: HidesPath): string {
  const parent = dirname(path);
  return parent === '.' || !hides(parent) ? path : topmost(parent, hides);
}
