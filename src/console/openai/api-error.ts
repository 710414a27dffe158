// Errors in the shape that clients of OpenAI's API read.
import type { ServerResponse } from 'node:http';
import { problemOf } from '../problem.ts';

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | null;

  constructor(status: number, code: string, message: string, param: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
  }

  body(): { error: { message: string; type: string; param: string | null; code: string } } {
    const { message, param, code, status } = this;
    return { error: { message, type: typeOf(status), param, code } };
  }
}

export function invalid(message: string, param: string | null = null): ApiError {
  return new ApiError(400, 'invalid_request', message, param);
}

/** Undefined: a defect. */
export function apiErrorOf(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  const problem = problemOf(error);
  return problem && new ApiError(problem.status, problem.code.toLowerCase(), problem.message);
}

/** Why a turn has no answer. */
export function turnError({ code, message }: { code: string; message: string }): ApiError {
  const status: Record<string, number> = {
    PROVIDER_RATE_LIMIT: 429,
    PROVIDER_CONTEXT_LENGTH: 400,
    BUDGET_EXCEEDED: 429,
    CANCELLED: 499,
  };
  const name = code === 'PROVIDER_CONTEXT_LENGTH' ? 'context_length_exceeded' : code.toLowerCase();
  return new ApiError(status[code] ?? 502, name, message);
}

export function sendApiError(response: ServerResponse, error: ApiError): void {
  const body = Buffer.from(JSON.stringify(error.body()));
  response.writeHead(error.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
    ...(error.status === 429 && { 'retry-after': '5' }),
  });
  response.end(body);
}

function typeOf(status: number): string {
  if (status === 401 || status === 403) return 'authentication_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
