import type { Workspace } from '../workspace/workspace.ts';
import type { OperationContext } from './operation.ts';

/** The confined files of the folder that the operation concerns. The runtime closes them. */
export async function openFiles({ runtime, workspace }: OperationContext): Promise<Workspace> {
  return (await runtime.openWorkspace({ root: workspace })).files;
}
