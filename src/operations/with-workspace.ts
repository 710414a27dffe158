import type { Runtime } from '../runtime/runtime.ts';
import type { RuntimeWorkspace, WorkspaceOptions } from '../runtime/workspace.ts';

/** Opens a workspace for one use and closes it afterwards: a process that lasts, such as a gateway, keeps nothing of it. */
export async function withWorkspace<T>(
  runtime: Pick<Runtime, 'openWorkspace'>,
  options: WorkspaceOptions,
  use: (workspace: RuntimeWorkspace) => Promise<T>,
): Promise<T> {
  const workspace = await runtime.openWorkspace(options);
  try {
    return await use(workspace);
  } finally {
    await workspace.close();
  }
}
