// The model's plan for longer work, as a checklist.
import { type TextKey, t } from '../language/language.ts';

interface Item {
  text: string;
  status: string;
}

const STATES: Record<string, { mark: string; name: TextKey }> = {
  completed: { mark: '✓', name: 'todo.completed' },
  in_progress: { mark: '▸', name: 'todo.inProgress' },
  pending: { mark: '○', name: 'todo.pending' },
};

export function Checklist({ args }: { args: Readonly<Record<string, unknown>> }) {
  const items = Array.isArray(args.items) ? (args.items as Item[]) : [];
  return (
    <ul class="checklist" aria-label={t('todo.title')}>
      {items.map(({ text, status }, index) => (
        <li key={`${index}-${text}`} class={status}>
          <span aria-hidden="true">{STATES[status]?.mark ?? '○'}</span>
          <span class="unseen">{t(STATES[status]?.name ?? 'todo.pending')}: </span>
          {text}
        </li>
      ))}
    </ul>
  );
}
