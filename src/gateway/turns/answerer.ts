// Who may answer the questions of a turn: the owner, wherever they are. In a chat that is whoever is its owner, and only for
// what was asked in that chat; nobody learns of, or decides about, what another chat does.
import type { AnsweredFrom } from '../../pipeline/questions.ts';

export type Answerer =
  | { place: 'terminal' }
  | { place: 'console'; name: string; isOwner: boolean }
  /** `chat` as `chatName` writes it. */
  | { place: 'chat'; chat: string; name: string; isOwner: boolean };

/** Whether a question of this chat (undefined: of none) exists for this person. */
export function isAskedThere(by: Answerer, chat: string | undefined): boolean {
  return by.place !== 'chat' || by.chat === chat;
}

export function mayAnswer(by: Answerer): boolean {
  return by.place === 'terminal' || by.isOwner;
}

export function answeredFrom(by: Answerer): AnsweredFrom {
  return { place: by.place, by: by.place === 'terminal' ? 'owner' : by.name };
}
