// What a page says when there is nothing to show yet, or when something failed.
import type { ComponentChildren } from 'preact';
import { ApiProblem } from '../api/problem.ts';
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
  return (
    <div class="note problem" role="alert">
      <Icon name="warn" />
      <div>
        <p>{problemText(problem)}</p>
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
  if (problem instanceof ApiProblem && problem.status === 0) return t('problem.unreachable');
  return problem instanceof Error ? problem.message : String(problem);
}

export function Loading() {
  return (
    <p class="quiet loading" role="status">
      {t('loading')}
    </p>
  );
}
