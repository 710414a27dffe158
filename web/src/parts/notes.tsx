// What a page says when there is nothing to show yet, or when something failed.
import type { ComponentChildren } from 'preact';
import { ApiProblem } from '../api/problem.ts';
import { errorText } from '../language/errors/error-texts.ts';
import { t } from '../language/language.ts';
import { Icon, type IconName } from './icon.tsx';

export function EmptyState(props: { icon: IconName; title: string; text: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={props.icon} />
      <h2>{props.title}</h2>
      <p>{props.text}</p>
      {props.children}
    </div>
  );
}

export function ProblemNote({ problem, onRetry }: { problem: unknown; onRetry?(): void }) {
  const { text, detail } = wordedProblem(problem);
  return (
    <div class="note problem" role="alert">
      <Icon name="warn" />
      <div>
        <p>{text}</p>
        {detail !== undefined && <p class="quiet">{detail}</p>}
        {problem instanceof ApiProblem && problem.hint !== undefined && <p class="quiet">{problem.hint}</p>}
      </div>
      {onRetry && (
        <button type="button" class="button small" onClick={onRetry}>
          {t('retry')}
        </button>
      )}
    </div>
  );
}

export function problemText(problem: unknown): string {
  const { text, detail } = wordedProblem(problem);
  return detail === undefined ? text : `${text} (${detail})`;
}

function wordedProblem(problem: unknown): { text: string; detail?: string } {
  if (!(problem instanceof ApiProblem)) return { text: problem instanceof Error ? problem.message : String(problem) };
  if (problem.status === 0) return { text: t('problem.unreachable') };
  return wordedError(problem);
}

/** In the language of the page where the code has a text; then what the gateway said is the detail. */
export function wordedError({ code, message }: { code: string; message: string }): { text: string; detail?: string } {
  const text = errorText(code);
  return text === undefined ? { text: message } : { text, detail: message };
}

export function Loading() {
  return (
    <p class="quiet loading" role="status">
      {t('loading')}
    </p>
  );
}
