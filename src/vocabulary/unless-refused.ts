import { WorkspaceError } from './workspace-error.ts';

/** Turns refusals of the workspace into reasons; any other error is a defect and is rethrown. */
export async function unlessRefused<T>(
  result: Promise<T>,
  signal?: AbortSignal,
): Promise<T | { reason: string; absent?: true }> {
  try {
    return await result;
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof WorkspaceError)) throw error;
    const absent = error.code === 'not_found';
    return absent ? { reason: error.message, absent } : { reason: error.message };
  }
}
