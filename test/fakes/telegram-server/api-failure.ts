/** An answer with `ok: false`. */
export class ApiFailure extends Error {
  readonly code: number;
  readonly parameters: { retry_after?: number; migrate_to_chat_id?: number } | undefined;
  isViolation = false;

  constructor(code: number, description: string, parameters?: ApiFailure['parameters']) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

export function badRequest(description: string): ApiFailure {
  return new ApiFailure(400, `Bad Request: ${description}`);
}
