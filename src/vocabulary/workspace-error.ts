import { CodedError } from './coded-error.ts';

export type WorkspaceErrorCode =
  | 'outside' // the path ends outside the workspace, or leaves it through a link
  | 'not_found'
  | 'not_a_file' // a directory, FIFO, device or socket where a regular file is needed
  | 'not_a_directory'
  | 'too_many_links'
  | 'no_permission'
  | 'invalid_path' // empty, a NUL character, too long
  | 'protected' // may be read, never changed
  | 'changed' // not what the caller expected to find
  | 'too_large'
  | 'no_space'
  | 'io';

/** Every failure of the workspace. The message may be shown to the model and the user; it never shows content from outside. */
export class WorkspaceError extends CodedError<WorkspaceErrorCode> {}
