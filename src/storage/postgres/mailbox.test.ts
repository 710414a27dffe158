import { describeMailbox } from '../../../test/conformance/mailbox.ts';
import { describeMailboxClaims } from '../../../test/conformance/mailbox-claims.ts';
import { postgresSubject } from '../../../test/support/postgres-subject.ts';

async function subject() {
  const { open, openElsewhere, remove } = await postgresSubject();
  return {
    async open() {
      const storage = open();
      return { mailbox: await storage.mailbox(), locks: storage.locks, close: () => storage.close() };
    },
    openElsewhere,
    remove,
  };
}

describeMailbox('PostgreSQL', subject);
describeMailboxClaims('PostgreSQL', subject);
