import type { Runtime, RuntimeOptions } from '../runtime/runtime.ts';
import type { RuntimeWorkspace, WorkspaceOptions } from '../runtime/workspace.ts';
import { explainWorkspaceError, type Terminal, warn } from './terminal.ts';

/** Runs a command on the runtime, which is loaded here and closed whatever happens. Its warnings go to stderr. */
export async function withRuntime<T>(
  terminal: Terminal,
  use: (runtime: Runtime) => Promise<T>,
  options: Partial<RuntimeOptions> = {},
): Promise<T> {
  const { createRuntime } = await import('../runtime/runtime.ts');
  const runtime = await createRuntime({
    environment: terminal.environment,
    warn: (line) => warn(terminal, line),
    operations: () => import('../operations/from-chat.ts'),
    console: () => import('../console/open-console.ts'),
    ...options,
  });
  try {
    return await use(runtime);
  } finally {
    await runtime.close();
  }
}

/** Runs a command in a workspace; one that a flag chose and that cannot be used is wrong usage. */
export async function withWorkspace<T>(
  terminal: Terminal,
  options: WorkspaceOptions,
  use: (workspace: RuntimeWorkspace, runtime: Runtime) => Promise<T>,
): Promise<T> {
  return withRuntime(terminal, async (runtime) =>
    use(await explainWorkspaceError(options.root, runtime.openWorkspace(options)), runtime),
  );
}
