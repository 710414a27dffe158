// A refusal of the API, as problem+json says it.

export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;

  constructor({ status, code, message, hint }: { status: number; code: string; message: string; hint?: string }) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

/** Status 0: the gateway could not be reached. */
export function unreachable(): ApiProblem {
  return new ApiProblem({ status: 0, code: 'UNREACHABLE', message: 'unreachable' });
}

export async function problemOf(response: Response): Promise<ApiProblem> {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const text = (key: string): string | undefined => (typeof body[key] === 'string' ? (body[key] as string) : undefined);
  const hint = text('hint');
  return new ApiProblem({
    status: response.status,
    code: text('code') ?? `HTTP_${response.status}`,
    message: text('detail') ?? text('title') ?? response.statusText,
    ...(hint !== undefined && { hint }),
  });
}
