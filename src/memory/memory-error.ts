import { CodedError } from '../vocabulary/coded-error.ts';
export type MemoryErrorCode =
  | 'MEMORY_EMPTY'
  | 'MEMORY_TOO_LONG'
  | 'MEMORY_BAD_DATE'
  | 'MEMORY_NOT_FOUND'
  | 'MEMORY_KEY_NOT_FOUND'
  | 'MEMORY_BAD_KEY'
  | 'MEMORY_BAD_SCOPE'
  | 'MEMORY_FULL'
  | 'MEMORY_DAMAGED'
  | 'MEMORY_FOLDER'
  | 'MEMORY_EMBEDDING'
  | 'MEMORY_MODEL'
  | 'MEMORY_RUNTIME';

/** Every failure of memory: the message says why and what to do. */
export class MemoryError extends CodedError<MemoryErrorCode> {}
