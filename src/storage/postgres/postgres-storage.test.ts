import { describeLocks } from '../../../test/conformance/locks.ts';
import { describeStorage } from '../../../test/conformance/storage.ts';
import { postgresSubject } from '../../../test/support/postgres-subject.ts';

describeStorage('PostgreSQL', () => postgresSubject());
describeLocks('PostgreSQL', () => postgresSubject());
