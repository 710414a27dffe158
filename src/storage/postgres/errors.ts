// Failures of PostgreSQL as errors of storage. The message of a driver may name the role and the host, never the password; the text of a statement is not in it.
import { StorageError, type StorageErrorCode } from '../storage.ts';

const ADVICE: Partial<Record<StorageErrorCode, string>> = {
  STORAGE_UNREACHABLE: 'look whether the database runs and can be reached, then ask again',
  STORAGE_FULL: 'its disk is full: free some space there and ask again',
  STORAGE_READ_ONLY: 'it takes no writes (a standby, or set to read-only): point "store" at the primary',
  STORAGE_NO_PERMISSION: 'the role may not do this: see "The role" in docs/store.md',
  STORAGE_NO_HANDLES: 'it has no connection left: raise max_connections, or start fewer gateways',
};

const CODES: Readonly<Record<string, StorageErrorCode>> = {
  '25006': 'STORAGE_READ_ONLY',
  '42501': 'STORAGE_NO_PERMISSION',
  '53100': 'STORAGE_FULL',
  '53300': 'STORAGE_NO_HANDLES',
};

export function readOnly(address: string): string {
  return `the database ${address} is read-only: ${ADVICE.STORAGE_READ_ONLY}`;
}

/** Shutting down, crashing, starting up; a connection that was ended by the server. */
const LOSS_STATES = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', '08000', '08003', '08006', '08001', '08004']);
const LOSS_SYSTEM = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EAI_AGAIN',
  'ENOTFOUND',
]);
/** The driver gives these no code. */
const LOSS_MESSAGES =
  /^(?:Connection terminated|timeout (?:exceeded|expired) when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|The server closed)/i;

/** The statement may have run or not; the connection is of no more use. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof StorageError) return false;
  const { code = '' } = error as NodeJS.ErrnoException;
  return LOSS_STATES.has(code) || LOSS_SYSTEM.has(code) || LOSS_MESSAGES.test(error.message);
}

/** A deadlock or a conflict: PostgreSQL has rolled the transaction back, and it may be run again. */
export function isConflict(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === '40001' || code === '40P01';
}

/** A prepared statement does not fit the tables any more, which a migration changed, or is gone. It has not run; on another connection it is prepared again. */
export function isStalePlan(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return code === '26000' || (code === '0A000' && /cached plan/.test(String(message)));
}

/** Errors that are not of the database are returned unchanged. */
export function databaseError(error: unknown, address: string): unknown {
  if (error instanceof StorageError || !(error instanceof Error)) return error;
  const code = codeOf(error);
  if (code === undefined) return error;
  const advice = ADVICE[code];
  const message = `the database ${address} failed: ${error.message || (error as NodeJS.ErrnoException).code}`;
  return new StorageError(code, advice === undefined ? message : `${message}; ${advice}`, error);
}

/**
 * For a connection that could not be made: the password, TLS and the name of the database are refused in errors of many kinds, and all of them mean that the
 * database cannot be asked. A connection loss is returned unchanged, so that it is tried again.
 */
export function connectError(error: unknown, address: string): unknown {
  if (isConnectionLoss(error) || !(error instanceof Error)) return error;
  const known = databaseError(error, address);
  if (known instanceof StorageError && known.code !== 'STORAGE_FAILED') return known;
  return new StorageError(
    'STORAGE_UNREACHABLE',
    `cannot connect to the database ${address}: ${error.message}; check the address, the role and the password in "store"`,
    error,
  );
}

function codeOf(error: Error): StorageErrorCode | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (isConnectionLoss(error)) return 'STORAGE_UNREACHABLE';
  if (code !== undefined && CODES[code] !== undefined) return CODES[code];
  return error.constructor.name === 'DatabaseError' ? 'STORAGE_FAILED' : undefined;
}
