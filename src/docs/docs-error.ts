import { CodedError } from '../vocabulary/coded-error.ts';

export type DocsErrorCode = 'DOCS_INVALID_PATH' | 'DOCS_NOT_FOUND' | 'DOCS_MISSING';

/** Every failure of the documentation: the message suggests the nearest page or section. */
export class DocsError extends CodedError<DocsErrorCode> {}
