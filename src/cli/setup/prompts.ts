// What set-up asks and says on a terminal: arrow keys, hidden secrets, and waiting that can be seen. Everything goes to stderr.
// Esc and Ctrl-C at any question end set-up with SetupCancelled.
import * as clack from '@clack/prompts';
import { printable, type Terminal } from '../terminal.ts';
import { createWaitingLine } from '../waiting-line.ts';

/** The person has left; the catcher says what was changed. */
export class SetupCancelled extends Error {}

export interface Choice<Value> {
  value: Value;
  label: string;
  hint?: string;
}

export interface TextQuestion {
  message: string;
  initial?: string;
  /** What is wrong with an answer; undefined when nothing is. */
  problem?(answer: string): string | undefined;
}

export interface Prompts {
  title(text: string): void;
  /** Something to read before the next question. */
  note(text: string, title?: string): void;
  done(text: string): void;
  warn(text: string): void;
  failed(text: string): void;
  end(text: string): void;
  choose<Value>(message: string, choices: readonly Choice<Value>[], initial?: Value): Promise<Value>;
  /** Found by typing: for long lists. */
  find<Value>(message: string, choices: readonly Choice<Value>[], initial?: Value): Promise<Value>;
  chooseSeveral<Value>(
    message: string,
    choices: readonly Choice<Value>[],
    initial: readonly Value[],
  ): Promise<readonly Value[]>;
  text(question: TextQuestion): Promise<string>;
  /** Not shown while it is typed. */
  secret(question: Omit<TextQuestion, 'initial'>): Promise<string>;
  /** Shows that it works until `run` has ended. Ctrl-C cancels it. */
  working<T>(message: string, run: () => Promise<T>): Promise<T>;
}

const MOST_SHOWN = 12;

interface PromptsOptions {
  /** Whether a list says with which keys it is used: the library has that in English only. */
  explainsKeys(): boolean;
}

export function createPrompts(terminal: Terminal, { explainsKeys }: PromptsOptions): Prompts {
  const { err, signal, environment } = terminal;
  const output = err.stream();
  const common = { input: terminal.input.stream(), output, signal };
  const line = createWaitingLine({ err, now: environment.now });

  async function answered<Value>(asked: Promise<Value>): Promise<Exclude<Value, symbol>> {
    const answer = await asked;
    if (clack.isCancel(answer)) throw new SetupCancelled();
    return answer as Exclude<Value, symbol>;
  }

  /** By their places: the library compares values, and ours are objects. */
  const optionsOf = <Value>(choices: readonly Choice<Value>[]) =>
    choices.map(({ label, hint }, index) => ({
      value: index,
      label: printable(label),
      ...(hint !== undefined && { hint: printable(hint) }),
    }));
  const indexOf = <Value>(choices: readonly Choice<Value>[], initial: Value | undefined) =>
    Math.max(
      0,
      choices.findIndex(({ value }) => value === initial),
    );
  const valueAt = <Value>(choices: readonly Choice<Value>[], index: number): Value => {
    const choice = choices[index];
    if (!choice) throw new SetupCancelled();
    return choice.value;
  };
  const validate =
    (problem: TextQuestion['problem']) =>
    (answer: string | undefined): string | undefined =>
      problem?.((answer ?? '').trim());

  return {
    title: (text) => clack.intro(printable(text), { output }),
    note: (text, title) => clack.note(printable(text), title, { output }),
    done: (text) => clack.log.success(printable(text), { output }),
    warn: (text) => clack.log.warn(wrapped(printable(text), err.columns), { output }),
    failed: (text) => clack.log.error(wrapped(printable(text), err.columns), { output }),
    end: (text) => clack.outro(printable(text), { output }),
    choose: async (message, choices, initial) =>
      valueAt(
        choices,
        await answered(
          clack.select<number>({
            ...common,
            message,
            showInstructions: explainsKeys(),
            options: optionsOf(choices),
            initialValue: indexOf(choices, initial),
            maxItems: MOST_SHOWN,
          }),
        ),
      ),
    find: async (message, choices, initial) =>
      valueAt(
        choices,
        await answered(
          clack.autocomplete<number>({
            ...common,
            message,
            options: optionsOf(choices),
            initialValue: indexOf(choices, initial),
            maxItems: MOST_SHOWN,
          }),
        ),
      ),
    chooseSeveral: async (message, choices, initial) => {
      const chosen = await answered(
        clack.multiselect<number>({
          ...common,
          message,
          showInstructions: explainsKeys(),
          options: optionsOf(choices),
          initialValues: initial.map((value) => indexOf(choices, value)),
          required: false,
          maxItems: MOST_SHOWN,
        }),
      );
      return chosen.map((index) => valueAt(choices, index));
    },
    text: async ({ message, initial, problem }) =>
      (
        await answered(
          clack.text({ ...common, message, validate: validate(problem), ...(initial && { initialValue: initial }) }),
        )
      ).trim(),
    secret: async ({ message, problem }) =>
      (await answered(clack.password({ ...common, message, validate: validate(problem), clearOnError: true }))).trim(),
    async working(message, run) {
      line.start((elapsedMs) => `${message} … ${Math.floor(elapsedMs / 1000)} s`);
      try {
        return await run();
      } finally {
        line.stop();
      }
    },
  };
}

/** Beside the bar at the left, and not on the last column. */
const MARGIN = 5;
const FEWEST_COLUMNS = 40;

/** Lines that fit, cut between words: the terminal would cut within them, also within an address. */
function wrapped(text: string, columns = 80): string {
  const width = Math.max(FEWEST_COLUMNS, columns) - MARGIN;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    let current = '';
    for (const word of line.split(' ')) {
      const isFull = current !== '' && current.length + word.length >= width;
      if (isFull) lines.push(current);
      current = isFull || current === '' ? word : `${current} ${word}`;
    }
    lines.push(current);
  }
  return lines.join('\n');
}
