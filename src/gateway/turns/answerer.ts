// Who may answer the questions of a turn: the owner, wherever they are. In a chat that is whoever is its owner, and only for
// what was asked in that chat; nobody learns of, or decides about, what another chat does.
import type { AnsweredFrom } from '../../pipeline/questions.ts';

export type Answerer =
  | { place: 'terminal' }
  | { place: 'console'; name: string; isOwner: boolean }
  /** `chat` as `chatName` writes it. */
  | { place: 'chat'; chat: string; name: string; isOwner: boolean };

/** Why this person may not answer; undefined when they may. */
export function answerProblem(by: Answerer, turn: { chat?: string }): string | undefined {
  if (by.place === 'terminal') return undefined;
  if (!by.isOwner) return 'Only the owner can answer this.';
  if (by.place === 'chat' && by.chat !== turn.chat) return 'This was not asked in this chat.';
  return undefined;
}

export function answeredFrom(by: Answerer): AnsweredFrom {
  return { place: by.place, by: by.place === 'terminal' ? 'owner' : by.name };
}
