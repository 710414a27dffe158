// The inbox as one gateway uses it: everything under that gateway's own claim.
import type { Fence } from '../../storage/locks.ts';
import type { Mailbox } from '../../storage/mailbox.ts';

type WithoutClaimant<F> = F extends (claimant: Fence, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

export type Inbox = {
  [Method in 'receive' | 'claim' | 'release' | 'begin' | 'finish']: WithoutClaimant<Mailbox[Method]>;
};

export function createInbox(mailbox: Mailbox, claimant: Fence): Inbox {
  return underClaimant(mailbox, () => claimant);
}

/** Where several gateways share the chats: a message that arrives is claimed by nobody, unless it is handled at once. */
export function createSharedInbox(mailbox: Mailbox, claimant: () => Fence): Inbox {
  return {
    ...underClaimant(mailbox, claimant),
    receive: (message) => mailbox.receive(message.isApart ? claimant() : undefined, message),
  };
}

function underClaimant(mailbox: Mailbox, claimant: () => Fence): Inbox {
  return {
    receive: (message) => mailbox.receive(claimant(), message),
    claim: (where) => mailbox.claim(claimant(), where),
    release: (messages) => mailbox.release(claimant(), messages),
    begin: (messages, turnId) => mailbox.begin(claimant(), messages, turnId),
    finish: (messages, replies, now) => mailbox.finish(claimant(), messages, replies, now),
  };
}
