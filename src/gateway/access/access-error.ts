import { CodedError } from '../../vocabulary/coded-error.ts';
export type AccessErrorCode =
  | 'PAIRING_CODE_UNKNOWN'
  | 'PAIRING_TOO_MANY_ATTEMPTS'
  | 'PAIRING_ENTRY_UNKNOWN'
  | 'PAIRING_FILE_DAMAGED';

/** Every failure of access: the message says what to do. */
export class AccessError extends CodedError<AccessErrorCode> {}
