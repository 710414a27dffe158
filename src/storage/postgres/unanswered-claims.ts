// Messages whose claim was committed perhaps: the database did not answer, so the caller got an error and has none of them. Each is handed out once, to the
// same claimant, after the row was read again under the lock of its chat. A later claimant gets them with its first claim, so nothing is remembered for it.
import type { Fence } from '../locks.ts';
import type { MessageKey } from '../mailbox.ts';

export interface UnansweredClaims<Message extends MessageKey = MessageKey> {
  add(claimant: Fence, messages: readonly Message[]): void;
  /** Removes and returns the matching ones of this claimant. A caller that fails adds them again. */
  take(claimant: Fence, isMeant: (message: MessageKey) => boolean): Message[];
}

export function createUnansweredClaims<Message extends MessageKey = MessageKey>(): UnansweredClaims<Message> {
  let claims: { claimant: Fence; message: Message }[] = [];
  return {
    add({ name, token }, messages) {
      for (const message of messages) claims.push({ claimant: { name, token }, message });
    },
    take({ name, token }, isMeant) {
      // The fence of an earlier acquisition never claims again.
      claims = claims.filter(({ claimant }) => claimant.name !== name || claimant.token >= token);
      const [taken, kept] = [[] as typeof claims, [] as typeof claims];
      for (const claim of claims) {
        const { claimant, message } = claim;
        const isTaken = claimant.name === name && claimant.token === token && isMeant(message);
        (isTaken ? taken : kept).push(claim);
      }
      claims = kept;
      return taken.map(({ message }) => message);
    },
  };
}
