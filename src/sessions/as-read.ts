/**
 * A copy of a value as it is after it was written as JSON and read again. Its texts are shared with the original, which may be megabytes
 * long.
 */
export function asRead<T>(value: T): T {
  return copyOf(value) as T;
}

function copyOf(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => copyOf(item) ?? null);
  if (typeof value !== 'object' || !isPlain(value)) return throughJson(value);
  const copy: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    // An assignment would set the prototype.
    if (name === '__proto__') return throughJson(value);
    const copied = copyOf(item);
    if (copied !== undefined) copy[name] = copied;
  }
  return copy;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && !('toJSON' in value);
}

/** Undefined for what JSON leaves out. */
function throughJson(value: unknown): unknown {
  const json: string | undefined = JSON.stringify(value);
  return json === undefined ? undefined : (JSON.parse(json) as unknown);
}
