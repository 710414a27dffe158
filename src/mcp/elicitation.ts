// A server may ask for input while one of its tools runs (elicitation). The protocol does not say for which call: the question
// goes to the one person who answers for all open calls of the connection. With nobody, or several people, it is declined.
import type { CallLimit } from './call-limit.ts';

/** How long a person may take to answer the questions of one call. */
export const PERSON_MS = 10 * 60_000;

/** A flat form: each property is a text, a number, a boolean, or a choice. */
export interface FormSchema extends Record<string, unknown> {
  properties: Record<string, FormField>;
  required?: readonly string[];
}

export type FormField = Record<string, unknown>;
export type FormValue = string | number | boolean | string[];

export interface FormRequest {
  /** The server that asks. Absent: the model asks, for one answer; `examples` of the field are its suggestions. */
  server?: string;
  message: string;
  schema: FormSchema;
}

/** Fields that an accepted form leaves out get the server's default, where there is one. */
export type FormAnswer =
  | { action: 'accept'; content: Record<string, FormValue> }
  | { action: 'decline' }
  /** The person neither accepted nor declined. */
  | { action: 'cancel' };

/** Shows a form to a person. The answer must contain only what the person typed. */
export type AskForm = (request: FormRequest, signal: AbortSignal) => Promise<FormAnswer>;

export interface OpenCall {
  elicit: AskForm | undefined;
  signal: AbortSignal;
  /** Pauses while a person answers: that time does not count against the server. */
  limit: Pick<CallLimit, 'hold'>;
  /** Called with the server's question when nobody could be asked. */
  onUnasked(message: string): void;
}

export interface Elicitations {
  during<T>(call: OpenCall, run: () => Promise<T>): Promise<T>;
  /** `signal` fires when the server withdraws the question. */
  answer(asked: Omit<FormRequest, 'server'>, signal: AbortSignal): Promise<FormAnswer>;
}

export interface ElicitationsDependencies {
  server: string;
  /** Why a value does not fit a schema, or undefined. */
  fits(schema: Record<string, unknown>, value: unknown): Promise<string | undefined>;
  log(text: string): void;
}

export function createElicitations({ server, fits, log }: ElicitationsDependencies): Elicitations {
  const open = new Set<OpenCall>();
  return {
    async during(call, run) {
      open.add(call);
      try {
        return await run();
      } finally {
        open.delete(call);
      }
    },
    async answer({ message, schema }, signal) {
      const calls = [...open];
      const [elicit, ...others] = new Set(calls.map((call) => call.elicit));
      if (!elicit || others.length > 0) {
        for (const call of calls) call.onUnasked(message);
        return { action: 'decline' };
      }
      const until = AbortSignal.any([signal, ...calls.map((call) => call.signal)]);
      const release = calls.map(({ limit }) => limit.hold());
      try {
        const answer = await elicit({ server, message, schema }, until);
        if (answer.action !== 'accept') return answer;
        const problem = await fits(schema, withDefaults(schema, answer.content));
        if (problem === undefined) return answer;
        log(`an answer to "${message}" did not match the form and was not sent: ${problem}\n`);
        return { action: 'decline' };
      } catch (error) {
        if (until.aborted) return { action: 'cancel' };
        throw error;
      } finally {
        for (const each of release) each();
      }
    },
  };
}

/** The form as it is sent: missing fields get the server's default. */
export function withDefaults({ properties }: FormSchema, content: Record<string, FormValue>): Record<string, unknown> {
  const defaults = Object.entries(properties).filter(([, field]) => field.default !== undefined);
  return { ...Object.fromEntries(defaults.map(([name, field]) => [name, field.default])), ...content };
}
