// The line of the audit log for an operation that changes something: who, what with which input, how it ended. It follows the operation,
// so that it lands in the log of the home that the operation leaves (a restore brings another one). It refuses nothing: an operation
// may be what repairs a home that cannot be written.
import { answeredFrom } from '../gateway/turns/answerer.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import type { Operation, OperationContext } from './operation.ts';

const SECRET = /api_?key|encrypt_?key|token|secret|pass(?:word|phrase)|credential|^(?:env|headers)$/i;
const NAMES_SECRET = /key|token|secret|pass/i;

export async function recordOperation<T>(
  { name, class: kind }: Pick<Operation, 'name' | 'class'>,
  input: object,
  { runtime, by = { place: 'terminal' }, warn }: OperationContext,
  run: () => Promise<T>,
): Promise<T> {
  const { by: person, place } = answeredFrom(by);
  const record = async (outcome: 'ok' | 'failed', why: string): Promise<void> => {
    const about = JSON.stringify(withoutSecrets(input));
    const event = { kind: 'operation' as const, who: `${person} (${place})`, what: name, about, outcome, why };
    await runtime.audit().then(
      (audit) => audit.append([event]),
      (error: unknown) => warn(`not in the audit log: ${messageOf(error)}`),
    );
  };
  try {
    const output = await run();
    await record('ok', reasonFor(by, kind)).catch((error: unknown) =>
      warn(`not in the audit log: ${messageOf(error)}`),
    );
    return output;
  } catch (error) {
    const code = error instanceof CodedError ? `${error.code}: ` : '';
    await record('failed', `${code}${messageOf(error)}`).catch(() => {});
    throw error;
  }
}

function reasonFor(by: NonNullable<OperationContext['by']>, kind: Operation['class']): string {
  if (!('isOwner' in by)) return `${kind}: it was asked for on this machine`;
  return by.isOwner ? `${kind}: the owner asked for it` : `${kind}: it concerns only the person or chat that asked`;
}

/** Whatever is named like a secret, at any depth, and the values of settings that are. */
function withoutSecrets(value: unknown, isSecret = false): unknown {
  if (typeof value === 'string') return isSecret && value !== '' ? '[secret]' : value;
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, isSecret));
  if (typeof value !== 'object' || value === null) return value;
  const named = Object.values(value).some(
    (each) => typeof each === 'string' && each.length < 60 && NAMES_SECRET.test(each),
  );
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      // `key` is the name of a session or of a setting, but beside a provider it is the provider's.
      const hides = key === 'value' ? named : key === 'key' ? 'provider' in value : SECRET.test(key);
      return [key, withoutSecrets(each, isSecret || hides)];
    }),
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
