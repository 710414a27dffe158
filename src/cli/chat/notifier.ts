// Calls a person back to the terminal when a turn has ended or asks, once nobody has typed for a while: who waits at the screen sees it.
import type { NotificationKind } from '../../config/settings.ts';

export interface NotifierOptions {
  kind: NotificationKind;
  /** Without a key for so long, nobody is at the screen. */
  afterMs: number;
  /** To the terminal, as it is. */
  write(data: string): void;
  now(): number;
}

export interface Notifier {
  /** A key was pressed. */
  typed(): void;
  /** `text` is ours: a terminal may obey what is in it. */
  notify(text: string): void;
}

const BELL = '\x07';

export function createNotifier({ kind, afterMs, write, now }: NotifierOptions): Notifier {
  let typedAt = now();
  return {
    typed: () => {
      typedAt = now();
    },
    notify(text) {
      const sequence = now() - typedAt >= afterMs ? sequenceOf(kind, text) : '';
      if (sequence !== '') write(sequence);
    },
  };
}

function sequenceOf(kind: NotificationKind, text: string): string {
  switch (kind) {
    case 'off':
      return '';
    case 'bell':
      return BELL;
    case 'osc9':
      return `\x1b]9;${text}${BELL}`;
    case 'osc777':
      return `\x1b]777;notify;Lainclaw;${text}${BELL}`;
  }
}
