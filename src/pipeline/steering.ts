// Steering: a person writes to a turn while it runs. The calls that are running end, the other calls of the round are not made, and what was
// written joins the turn as a user's message before the next model request. A turn that makes no further request takes nothing more.
import type { Attachment } from './attachments.ts';

export interface SteeringMessage {
  id: string;
  text: string;
  attachments?: readonly Attachment[];
  /** What the sender calls the message: journalled with it, so that the list of messages can be compared with it after a crash. */
  origin?: string;
  /** Its sender left it to us, so it can be taken back by its id until it joins the turn. */
  canWithdraw?: true;
}

/** As it is shown, while it waits and once it has joined the turn. */
export interface SteeredMessage {
  id: string;
  text: string;
  /** What came with it, by name. */
  attached?: readonly string[];
  /** While it waits. */
  canWithdraw?: true;
}

export interface Steering {
  /** Something waits to join the turn. */
  readonly isWaiting: boolean;
  /** Removes what waits and returns it, oldest first. */
  take(): SteeringMessage[];
}
