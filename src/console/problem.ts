// Errors as application/problem+json. The code is what programs look at; the detail says what to do.
import { STATUS_CODES } from 'node:http';
import { CodedError } from '../vocabulary/coded-error.ts';

export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  hint?: string;
}

/** What a route refuses with. */
export class Problem extends CodedError {
  readonly status: number;
  readonly hint: string | undefined;

  constructor(status: number, code: string, detail: string, hint?: string) {
    super(code, detail);
    this.status = status;
    this.hint = hint;
  }

  body(): ProblemBody {
    const { status, code, message: detail, hint } = this;
    return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, code, detail, ...(hint && { hint }) };
  }
}

const STATUS_OF: Record<string, number> = {
  NOT_ALLOWED: 403,
  ANSWER_REFUSED: 403,
  INVALID_INPUT: 400,
  ASK_INPUT_REQUIRED: 400,
  QUESTION_ENDED: 409,
  TURN_FORGOTTEN: 410,
  TOO_MANY_TURNS: 429,
  TOO_MANY_CALLS: 429,
  TOO_MANY_UPLOADS: 429,
  EMPTY_FILE: 400,
  TOO_LARGE: 413,
  FILES_TOO_LARGE: 413,
  BUSY: 503,
};

/** Undefined: a defect; the caller learns nothing about it. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  const { code, message } = error as { code?: unknown; message?: unknown };
  const isOurs = error instanceof CodedError || (error instanceof Error && error.name === 'ConfigError');
  if (!isOurs || typeof code !== 'string') return undefined;
  return new Problem(statusOf(code), code, String(message));
}

function statusOf(code: string): number {
  if (STATUS_OF[code] !== undefined) return STATUS_OF[code];
  if (/(^|_)(UNKNOWN|NOT_FOUND)(_|$)/.test(code)) return 404;
  return code.startsWith('STORAGE_') ? 503 : 422;
}
