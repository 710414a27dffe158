import { CodedError } from '../vocabulary/coded-error.ts';

export type SessionChangeCode =
  | 'INVALID_TITLE'
  | 'INVALID_SESSION_KEY'
  | 'SESSION_EXISTS'
  | 'SESSION_BUSY'
  | 'TURN_NOT_FOUND';

/** Nothing was changed. */
export class SessionChangeError extends CodedError<SessionChangeCode> {}
