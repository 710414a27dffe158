export type AuthErrorCode =
  | 'AUTH_UNKNOWN_PROVIDER'
  | 'AUTH_UNKNOWN_PROFILE'
  | 'AUTH_BAD_KEY'
  | 'AUTH_BAD_ADDRESS'
  | 'AUTH_BAD_NAME'
  | 'AUTH_LOGIN_FAILED'
  | 'AUTH_CANCELLED'
  | 'AUTH_REVOKED'
  | 'AUTH_UNREACHABLE';

/** Every failure of signing in and out: the message says what to do and holds no secret. */
export class AuthError extends Error {
  readonly code: AuthErrorCode;

  constructor(code: AuthErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'AuthError';
    this.code = code;
  }
}
