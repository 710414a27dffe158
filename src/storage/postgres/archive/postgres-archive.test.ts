import { afterAll } from 'vitest';
import { describeArchive } from '../../../../test/conformance/archive.ts';
import { describeFacts } from '../../../../test/conformance/facts.ts';
import { postgresArchives } from '../../../../test/support/postgres-archive.ts';

const archives = postgresArchives();
afterAll(archives.drop);

// Each run takes a hundred statements of a real server.
describeArchive('PostgreSQL', archives.create, { runs: 12 });
describeFacts('PostgreSQL', archives.create);
