// Notifications of the browser: a question, or the end of a long turn, while the page is not looked at. One tab raises each,
// because they carry the same tag.
import { signal } from '@preact/signals';
import { call } from '../api/call.ts';
import { onStream } from '../events/stream.ts';
import { t } from '../language/language.ts';
import { hrefOf } from '../router.ts';
import type { AskedQuestion } from './questions.ts';

/** Nobody waits in front of the page for a turn that takes longer. */
export const LONG_TURN_MS = 20_000;

export const permission = signal<NotificationPermission | 'unsupported'>(
  typeof Notification === 'undefined' ? 'unsupported' : Notification.permission,
);

export async function askToNotify(): Promise<void> {
  if (permission.value !== 'unsupported') permission.value = await Notification.requestPermission();
}

export function notifyQuestion({ question, session }: AskedQuestion): void {
  const text = question.permission?.title ?? question.form?.message ?? '';
  notify(t('notify.question'), text, `question-${question.id}`, session);
}

/** Tells the end of turns that took long. */
export function followLongTurns(now: () => number = Date.now): void {
  const started = new Map<string, number>();
  // Those that ran before this page was loaded.
  call('turns.list', {})
    .then((turns) => {
      for (const { id, state, startedAt } of turns)
        if (state !== 'ended' && !started.has(id)) started.set(id, Date.parse(startedAt));
    })
    .catch(() => {});
  onStream(({ type, turn, session, parent }) => {
    if (typeof turn !== 'string' || parent !== undefined) return;
    if (type === 'run-start') started.set(turn, now());
    if (type !== 'run-end') return;
    const tookMs = now() - (started.get(turn) ?? now());
    started.delete(turn);
    if (tookMs >= LONG_TURN_MS) notify(t('notify.finished'), '', `turn-${turn}`, String(session));
  });
}

function notify(title: string, body: string, tag: string, session: string | undefined): void {
  if (permission.value !== 'granted' || document.visibilityState === 'visible') return;
  const shown = new Notification(title, { body, tag, icon: './icon-192.png' });
  shown.onclick = () => {
    window.focus();
    if (session !== undefined) location.hash = hrefOf('chat', session);
    shown.close();
  };
}
