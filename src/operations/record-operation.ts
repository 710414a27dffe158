// The line of the audit log for an operation that changes something: who, what with which input, how it ended. It follows the operation,
// so that it lands in the log of the home that the operation leaves (a restore brings another one). It refuses nothing: an operation
// may be what repairs a home that cannot be written.
import { type Answerer, answeredFrom } from '../gateway/turns/answerer.ts';
import type { Audit, AuditEvent } from '../storage/audit.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { reasonText } from '../vocabulary/reasons.ts';

const SECRET = /api_?key|encrypt_?key|token|secret|pass(?:word|phrase)|credential|^(?:env|headers)$/i;
const NAMES_SECRET = /key|token|secret|pass/i;

interface Named {
  name: string;
  class: string;
  hides?: readonly string[];
  keepsNothing?: true;
}

interface Caller {
  runtime: { audit(): Promise<Pick<Audit, 'append'>> };
  by?: Answerer;
  warn(text: string): void;
}

export async function recordOperation<T>(
  operation: Named,
  input: object,
  context: Caller,
  run: () => Promise<T>,
): Promise<T> {
  try {
    const output = await run();
    await record(operation, input, context, { outcome: 'ok', why: reasonFor(context.by, operation.class) });
    return output;
  } catch (error) {
    const code = error instanceof CodedError ? `${error.code}: ` : '';
    await record(operation, input, context, { outcome: 'failed', why: `${code}${messageOf(error)}` });
    throw error;
  }
}

/** Of somebody who may not call it. */
export async function recordRefusal(operation: Named, input: object, context: Caller, error: unknown): Promise<void> {
  await record(operation, input, context, { outcome: 'denied', why: messageOf(error) });
}

async function record(
  { name, hides = [], keepsNothing }: Named,
  input: object,
  { runtime, by = { place: 'terminal' }, warn }: Caller,
  ending: Required<Pick<AuditEvent, 'outcome' | 'why'>>,
): Promise<void> {
  const { by: person, place } = answeredFrom(by);
  const shown = Object.fromEntries(Object.entries(input).filter(([key]) => !hides.includes(key)));
  const about = JSON.stringify(withoutSecrets(shown));
  try {
    const audit = await runtime.audit();
    const line = { kind: 'operation' as const, who: `${person} (${place})`, what: name, about, ...ending };
    await audit.append([line], { beginsNone: keepsNothing === true || ending.outcome !== 'ok' });
  } catch (error) {
    warn(`this is not in the audit log: ${messageOf(error)}`);
  }
}

function reasonFor(by: Answerer | undefined, kind: string): string {
  if (!by || !('isOwner' in by)) return reasonText('from-machine', { because: kind });
  return reasonText(by.isOwner ? 'from-owner' : 'concerns-asker', { because: kind });
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
