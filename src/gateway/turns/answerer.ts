// Who may answer the questions of a turn: the owner, wherever they are, and the program that runs the turn for them. In a chat that is its owner, and only for
// what was asked in that chat; nobody learns of, or decides about, what another chat does.

import type { AnsweredFrom } from '../../pipeline/questions.ts';
import { personChat } from '../console-access/own-sessions.ts';

export type Answerer =
  | { place: 'terminal' }
  | { place: 'program' }
  /** `person`: the id of somebody who is not the owner. */
  | { place: 'console'; name: string; isOwner: boolean; person?: string }
  /** `chat` as `chatName` writes it. `isGroup`: others read along. */
  | { place: 'chat'; chat: string; name: string; isOwner: boolean; isGroup?: boolean };

/** Whether a question of this chat (undefined: of none) exists for this person. */
export function isAskedThere(by: Answerer, chat: string | undefined): boolean {
  if (by.place === 'console' && !by.isOwner) return by.person !== undefined && personChat(by.person) === chat;
  return by.place !== 'chat' || by.chat === chat;
}

export function mayAnswer(by: Answerer): boolean {
  return 'isOwner' in by ? by.isOwner : true;
}

export function answeredFrom(by: Answerer): AnsweredFrom {
  if ('name' in by) return { place: by.place, by: by.name };
  return { place: by.place, by: by.place === 'terminal' ? 'owner' : 'program' };
}
