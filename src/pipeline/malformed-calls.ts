// Calls whose arguments are not a whole JSON object. The model learns it once, as the result of the call, and can write it
// again; when its next answer has such calls too, they are text.
import type { ModelToolCall } from '../adapters/adapter.ts';
import { wholeCharacters } from '../lib/whole-characters.ts';
import type { Executed, Executor } from '../tools/executor.ts';
import type { Answer } from './ask-model.ts';

const SHOWN_CHARACTERS = 500;

export function hasMalformed({ calls }: Answer): boolean {
  return calls.some(({ malformed }) => malformed !== undefined);
}

/** The answer with its malformed calls as the end of its text, which is `added`. */
export function malformedAsText(answer: Answer): Answer & { added: string } {
  const calls = answer.calls.filter(({ malformed }) => malformed === undefined);
  const texts = answer.calls.flatMap(({ name, malformed }) =>
    malformed === undefined
      ? []
      : [`[This tool call was not made, its arguments are not a whole JSON object: ${name} ${malformed}]`],
  );
  const added = `${answer.text === '' ? '' : '\n\n'}${texts.join('\n\n')}`;
  return { ...answer, calls, text: answer.text + added, native: undefined, added };
}

/** Answers malformed calls itself; `ids` are those the calls are made under. */
export function refuseMalformed(executor: Executor, calls: readonly ModelToolCall[], ids: readonly string[]): Executor {
  const malformed = new Map(
    calls.flatMap((call, index) => (call.malformed === undefined ? [] : [[ids[index], call.malformed] as const])),
  );
  if (malformed.size === 0) return executor;
  return {
    ...executor,
    async execute(call, ...rest) {
      const source = malformed.get(call.id);
      return source === undefined ? executor.execute(call, ...rest) : refused(call.name, source);
    },
  };
}

function refused(name: string, source: string): Executed {
  const shown = source.length > SHOWN_CHARACTERS ? `${wholeCharacters(source.slice(0, SHOWN_CHARACTERS))}…` : source;
  const message = `the arguments of ${name} are not one whole JSON object, so it was not run: ${shown}. Write the call again; if it was cut at your length limit, write less at once`;
  const error = { code: 'invalid_args' as const, message };
  return { result: { ok: false, error, meta: { durationMs: 0 } }, text: `Error (invalid_args): ${message}` };
}
