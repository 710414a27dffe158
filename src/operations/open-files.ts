import type { Workspace } from '../workspace/workspace.ts';
import type { OperationContext } from './operation.ts';
import { withWorkspace } from './with-workspace.ts';

/** The confined files of the folder that the operation concerns. They have nothing to close. */
export function openFiles({ runtime, workspace }: OperationContext): Promise<Workspace> {
  return withWorkspace(runtime, { root: workspace }, async ({ files }) => files);
}
