// Short messages at the edge of the page: what was done, or what failed.
import { signal } from '@preact/signals';
import { t } from '../language/language.ts';
import { Icon } from './icon.tsx';
import { problemText } from './notes.tsx';

interface Toast {
  id: number;
  text: string;
  isProblem: boolean;
}

const SHOWN_MS = 6_000;
/** There is more to read, and something to do. */
const PROBLEM_MS = 15_000;
const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

export function say(text: string): void {
  show(text, false);
}

export function sayProblem(problem: unknown): void {
  show(problemText(problem), true);
}

/** Runs what a person asked for; a failure is shown, and the result is undefined. */
export async function attempt<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work();
  } catch (problem) {
    sayProblem(problem);
    return undefined;
  }
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isProblem }) => (
        <p key={id} class={isProblem ? 'toast problem' : 'toast'}>
          <span>{text}</span>
          <button type="button" class="icon-button small" aria-label={t('close')} onClick={() => remove(id)}>
            <Icon name="close" />
          </button>
        </p>
      ))}
    </div>
  );
}

function show(text: string, isProblem: boolean): void {
  lastId += 1;
  const toast = { id: lastId, text, isProblem };
  toasts.value = [...toasts.value.slice(-3), toast];
  setTimeout(() => remove(toast.id), isProblem ? PROBLEM_MS : SHOWN_MS);
}

function remove(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}
