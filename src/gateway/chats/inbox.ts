// The inbox as one gateway uses it: everything under that gateway's own claim.
import type { Fence } from '../../storage/locks.ts';
import type { Mailbox } from '../../storage/mailbox.ts';

type WithoutClaimant<F> = F extends (claimant: Fence, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

export type Inbox = { [Method in 'receive' | 'claim' | 'begin' | 'finish']: WithoutClaimant<Mailbox[Method]> };

export function createInbox(mailbox: Mailbox, claimant: Fence): Inbox {
  return {
    receive: (message) => mailbox.receive(claimant, message),
    claim: (where) => mailbox.claim(claimant, where),
    begin: (messages, turnId) => mailbox.begin(claimant, messages, turnId),
    finish: (messages, replies, now) => mailbox.finish(claimant, messages, replies, now),
  };
}
