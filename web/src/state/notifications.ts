// Notifications of the browser: a question, or the end of a long turn, while the page is not looked at. One tab raises each,
// because they carry the same tag.
import { signal } from '@preact/signals';
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

/** Tells the end of turns that took long, by the clock of the gateway: events can come late. */
export function followLongTurns(): void {
  onStream(({ type, turn, session, parent, startedAt, endedAt }) => {
    if (type !== 'turn-ended' || parent !== undefined) return;
    const tookMs = Date.parse(String(endedAt)) - Date.parse(String(startedAt));
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
