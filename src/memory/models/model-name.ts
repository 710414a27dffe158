import { MemoryError } from '../memory-error.ts';

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
/** Arguments of "lainclaw memory model use" that do not name a model. */
const RESERVED = ['none', 'endpoint'];

export function isModelName(name: string): boolean {
  return NAME.test(name) && !RESERVED.includes(name);
}

export function checkName(name: string): string {
  if (isModelName(name)) return name;
  throw new MemoryError(
    'MEMORY_MODEL',
    `"${name}" is not a valid name of a model: up to 64 letters, digits, dots, dashes; not ${RESERVED.join(' or ')}`,
  );
}

/** Makes a valid name from the name of a folder or an address. */
export function nameFrom(text: string): string {
  const name = text
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64);
  return isModelName(name) ? name : 'model';
}
