import { describeAgentRuns } from '../../../../test/conformance/agent-runs.ts';
import { describeJobs } from '../../../../test/conformance/jobs.ts';
import { postgresSubject } from '../../../../test/support/postgres-subject.ts';
import type { Storage } from '../../storage.ts';

describeJobs('PostgreSQL', async () => {
  const { open, remove } = await postgresSubject();
  return {
    async open() {
      const storage = open();
      return { jobs: await storage.jobs(), locks: storage.locks, close: () => storage.close() };
    },
    remove,
  };
});

describeAgentRuns('PostgreSQL', async () => {
  const { open, remove } = await postgresSubject();
  const opened: Storage[] = [];
  return {
    open() {
      const storage = open();
      opened.push(storage);
      return storage.agentRuns();
    },
    async remove() {
      for (const storage of opened) await storage.close();
      await remove();
    },
  };
});
