import { CodedError } from '../../vocabulary/coded-error.ts';
export type AuthErrorCode =
  | 'AUTH_UNKNOWN_PROVIDER'
  | 'AUTH_UNKNOWN_PROFILE'
  | 'AUTH_BAD_KEY'
  | 'AUTH_BAD_ADDRESS'
  | 'AUTH_BAD_NAME'
  | 'AUTH_BAD_ISSUER'
  | 'AUTH_KEY_REFUSED'
  | 'AUTH_NOT_A_SERVICE'
  | 'AUTH_MODEL_REFUSED'
  | 'AUTH_LOGIN_FAILED'
  | 'AUTH_CANCELLED'
  | 'AUTH_REVOKED'
  | 'AUTH_NOTHING_TO_REUSE'
  | 'AUTH_NOT_REUSABLE'
  | 'AUTH_UNREACHABLE';

/** Every failure of signing in and out: the message says what to do and holds no secret. */
export class AuthError extends CodedError<AuthErrorCode> {}
