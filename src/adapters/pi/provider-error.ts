// The error objects of the services, read into one shape. Nothing here decides what an error means.

export interface ProviderError {
  code?: string;
  type?: string;
  message?: string;
  /** Seconds until a used-up plan is filled again, as the ChatGPT backend tells it. */
  resetsInSeconds?: number;
}

/** Reads an error from a body or an event, whatever service sent it; an unreadable one is empty. */
export function errorIn(source: string | object): ProviderError {
  const value = typeof source === 'string' ? parse(source) : source;
  if (!isRecord(value)) return {};
  const inner = isRecord(value.error) ? value.error : value;
  const code = inner.code ?? undefined;
  return {
    code: typeof code === 'string' || typeof code === 'number' ? String(code) : undefined,
    type: text(inner.type === 'error' ? undefined : inner.type),
    message: text(inner.message) ?? text(value.error) ?? text(value.detail),
    resetsInSeconds: typeof inner.resets_in_seconds === 'number' ? inner.resets_in_seconds : undefined,
  };
}

/** From the headers, in seconds, milliseconds or as a date, or from what the error itself says. */
export function retryAfterMs(headers: Pick<Headers, 'get'>, error: ProviderError, now: number): number | undefined {
  const milliseconds = number(headers.get('retry-after-ms'));
  if (milliseconds !== undefined) return Math.max(0, milliseconds);
  const after = headers.get('retry-after');
  const seconds = number(after);
  if (seconds !== undefined) return Math.max(0, seconds * 1000);
  const date = after ? Date.parse(after) : Number.NaN;
  if (!Number.isNaN(date)) return Math.max(0, date - now);
  return error.resetsInSeconds === undefined ? undefined : Math.max(0, error.resetsInSeconds * 1000);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function number(value: string | null): number | undefined {
  if (value === null || value.trim() === '') return undefined;
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : undefined;
}
