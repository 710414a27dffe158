// A database of PostgreSQL for one test: made from a template that has the tables, used with the least-privilege role.
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { APP, databaseUrl, OWNER, superuser, TEMPLATE } from './postgres-cluster.ts';

export interface TestDatabase {
  /** As the program uses it. */
  url: string;
  /** The role that makes tables. */
  ownerUrl: string;
  port: number;
  name: string;
  /** Puts a new database of the same name in its place. */
  replace(): Promise<void>;
  drop(): Promise<void>;
}

let made = 0;

/** `isEmpty`: without tables. */
export async function testDatabase({ isEmpty = false } = {}): Promise<TestDatabase> {
  const port = await clusterPort();
  made += 1;
  const name = `test_${process.pid}_${process.env.VITEST_POOL_ID ?? 0}_${made}`;
  const template = isEmpty ? 'template0' : TEMPLATE;
  const create = async (): Promise<void> => {
    await superuser(port, (client) => client.query(`CREATE DATABASE ${name} OWNER ${OWNER} TEMPLATE ${template}`));
  };
  const drop = async (): Promise<void> => {
    await superuser(port, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
  };
  await create();
  return {
    url: databaseUrl(port, APP, name),
    ownerUrl: databaseUrl(port, OWNER, name),
    port,
    name,
    async replace() {
      await drop();
      await create();
    },
    drop,
  };
}

async function clusterPort(): Promise<number> {
  const path = process.env.LAINCLAW_TEST_POSTGRES;
  if (path === undefined) throw new Error('tests with PostgreSQL run under vitest, whose globalSetup starts it');
  const socket = connect(path);
  await once(socket, 'connect');
  const said = await text(socket);
  if (!/^\d+$/.test(said)) throw new Error(`PostgreSQL did not start: ${said}`);
  return Number(said);
}
