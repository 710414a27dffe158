import { hash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeBlobs } from '../../../../test/conformance/blobs.ts';
import { type S3Server, startS3Server } from '../../../../test/fakes/s3-server.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { postgresSubject } from '../../../../test/support/postgres-subject.ts';
import { createRedaction } from '../../redaction.ts';
import type { Storage } from '../../storage.ts';
import { openDatabase } from '../connect.ts';
import type { FileSettings } from '../postgres-storage.ts';

describeBlobs('PostgreSQL', () => postgresSubject());

let server: S3Server;
beforeEach(async () => {
  server = await startS3Server();
});
afterEach(() => server.close());

function bucketOf({ endpoint, region, bucket, keys }: S3Server): FileSettings['bucket'] {
  return { endpoint, region, bucket, keys, prefix: 'lainclaw/', isPathStyle: true };
}

describeBlobs('PostgreSQL with a bucket', () =>
  postgresSubject({ files: { databaseBytes: 1_000, bucket: bucketOf(server) } }),
);

describe('files of several gateways', () => {
  const large = randomBytes(50_000);
  let subject: Awaited<ReturnType<typeof postgresSubject>>;
  let files: FileSettings;
  let warnings: string[];
  const open: Storage[] = [];
  beforeEach(async () => {
    warnings = [];
    files = { databaseBytes: 1_000, warn: (text) => warnings.push(text) };
    subject = await postgresSubject({ files });
  });
  afterEach(async () => {
    for (const storage of open.splice(0)) await storage.close();
    await subject.remove();
  });
  /** The settings of a door are those that hold when its files are first used. */
  function door(change: Partial<FileSettings> = {}): Storage {
    Object.assign(files, change);
    const storage = subject.open();
    open.push(storage);
    return storage;
  }

  it('without a bucket a larger one stays on its machine; another one says where it is and what to do', async () => {
    const [one, two] = [door(), door()];
    await (await one.blobs()).put('session-1', 'a.bin', large);
    expect((await (await one.blobs()).get('session-1', 'a.bin'))?.equals(large)).toBe(true);
    await expect((await two.blobs()).get('session-1', 'a.bin')).rejects.toMatchObject({
      code: 'STORAGE_ELSEWHERE',
      message: expect.stringMatching(
        /^a\.bin \(1 MB\) is on another machine, machine-\w+: .* set s3Bucket on every gateway/,
      ),
    });
    expect((await (await two.blobs()).list('session-1')).map(({ bytes }) => bytes)).toEqual([50_000]);
    await (await two.blobs()).remove('session-1');
    expect(await (await one.blobs()).list('session-1')).toEqual([]);
  });

  it('with a bucket only the larger one is there, as a whole, and goes with its session', async () => {
    const one = await door({ bucket: bucketOf(server) }).blobs();
    await one.put('session-1', 'a.txt', Buffer.from('small'));
    await one.put('session-1', 'inbox/2026-12-01/отчёт.bin', large);
    const [key, ...more] = [...server.objects.keys()];
    expect(more).toEqual([]);
    expect(key).toMatch(/^lainclaw\/session-1\/[0-9a-f]{16}-inbox_2026-12-01_[\w.]+$/);
    expect(server.objects.get(key ?? '')?.equals(large)).toBe(true);
    await one.remove('session-1');
    expect(server.objects.size).toBe(0);
  });

  it('stored again as it is, it is not sent again; smaller, it leaves the bucket', async () => {
    const one = await door({ bucket: bucketOf(server) }).blobs();
    await one.put('session-1', 'a', large);
    await one.put('session-1', 'a', large);
    expect(server.log).toHaveLength(1);
    await one.put('session-1', 'a', Buffer.from('small'));
    expect(server.objects.size).toBe(0);
    expect((await one.get('session-1', 'a'))?.toString()).toBe('small');
  });

  it('a bucket that refuses is reported, the file stays here, and is brought there with the next one', async () => {
    const one = await door({ bucket: bucketOf(server) }).blobs();
    server.next.push({ status: 403, code: 'AccessDenied' });
    await one.put('session-1', 'a', large);
    expect(warnings).toEqual([expect.stringMatching(/^a stays on this machine for now: .*these keys may not do this/)]);
    expect((await one.get('session-1', 'a'))?.equals(large)).toBe(true);
    const two = await door({}).blobs();
    await expect(two.get('session-1', 'a')).rejects.toThrow('it goes to the bucket when that machine can reach it');
    await one.put('session-1', 'b', randomBytes(50_000));
    expect(server.objects.size).toBe(2);
    expect((await two.get('session-1', 'a'))?.equals(large)).toBe(true);
  });

  it('what an earlier process kept here goes to a bucket that was configured since', async () => {
    await subject.remove();
    subject = await postgresSubject({ files, onOneMachine: true });
    await (await door().blobs()).put('session-1', 'a', large);
    const later = await door({ bucket: bucketOf(server) }).blobs();
    await later.put('session-1', 'b', randomBytes(50_000));
    expect(server.objects.size).toBe(2);
    expect(hash('sha256', (await later.get('session-1', 'a')) ?? '')).toBe(hash('sha256', large));
  });

  it('files that are gone on this machine are not in the way of those that wait for the bucket', async () => {
    await subject.remove();
    subject = await postgresSubject({ files, onOneMachine: true });
    await (await door().blobs()).put('session-2', 'here', large);
    const database = openDatabase({ url: subject.url });
    await database.query(
      `INSERT INTO lainclaw.files (scope, name, place, machine, bytes, sha256)
       SELECT 'session-1', 'gone-' || number, 'machine', machine, bytes, sha256 FROM lainclaw.files, generate_series(1, 45) AS number`,
    );
    // Puts its row behind the others.
    await database.query(`UPDATE lainclaw.files SET stored_at = now() WHERE name = 'here'`);
    await database.close();
    const blobs = await door({ bucket: bucketOf(server) }).blobs();
    for (const name of ['a', 'b', 'c']) await blobs.put('session-3', name, randomBytes(50_000));
    expect(server.objects.size).toBe(4);
  });

  it('a kill while a kept file is brought to the bucket leaves it where it was', async () => {
    await subject.remove();
    subject = await postgresSubject({ files, onOneMachine: true });
    await (await door().blobs()).put('session-1', 'a', large);
    const later = await door({ bucket: bucketOf(server) }).blobs();
    // "b" is stored as ever (an answer cannot be shorter), and "a" is held.
    server.next.push('short', 'held');
    const storing = later.put('session-1', 'b', randomBytes(50_000));
    await eventually(() => expect(server.log.at(-1)).toMatch(/^PUT held/));
    // As a process that starts after the kill.
    const next = await door().blobs();
    expect((await next.get('session-1', 'a'))?.equals(large)).toBe(true);
    server.release();
    await storing;
    expect((await next.get('session-1', 'a'))?.equals(large)).toBe(true);
  });

  it('a file whose session is deleted while it is being sent leaves neither a row nor an object', async () => {
    const [one, two] = [await door({ bucket: bucketOf(server) }).blobs(), await door().blobs()];
    server.next.push('held');
    const storing = one.put('session-1', 'a', large);
    await eventually(() => expect(server.log).toEqual([expect.stringMatching(/^PUT held/)]));
    await two.remove('session-1');
    server.release();
    await storing;
    expect(await one.list('session-1')).toEqual([]);
    expect(await one.get('session-1', 'a')).toBeUndefined();
    expect(server.objects.size).toBe(0);
  });

  it('a bucket that cannot be reached does not delay each file, and nothing is lost', async () => {
    const one = await door({ bucket: bucketOf(server) }).blobs();
    server.next.push(...Array.from({ length: 5 }, () => ({ status: 503, code: 'SlowDown' })));
    await one.put('session-1', 'a', large);
    expect(server.log).toHaveLength(5);
    await one.put('session-1', 'b', large);
    expect(server.log).toHaveLength(5);
    for (const name of ['a', 'b']) expect((await one.get('session-1', name))?.equals(large)).toBe(true);
  });

  it('forgetting removes what a killed process may have left in the bucket', async () => {
    const blobs = await door({ bucket: bucketOf(server) }).blobs();
    server.next.push('held');
    const storing = blobs.put('session-1', 'a', Buffer.from('forget me '.repeat(500)));
    await eventually(() => expect(server.log).toHaveLength(1));
    const [, key = ''] = /^PUT held (.*)$/.exec(server.log[0] ?? '') ?? [];
    server.objects.set(key, Buffer.from('forget me'));
    const database = openDatabase({ url: subject.url });
    await database.query(`UPDATE lainclaw.files SET stored_at = now() - interval '1 hour'`);
    const redaction = createRedaction('forget me');
    await blobs.redact(redaction, 'remove');
    expect(server.objects.size).toBe(0);
    expect(await database.query('SELECT name FROM lainclaw.files')).toEqual([]);
    await database.close();
    server.release();
    await storing;
    expect(server.objects.size).toBe(0);
  });

  it('a machine without settings for the bucket says which are missing, and removes nothing', async () => {
    const without = door();
    const blobs = await without.blobs();
    await (await door({ bucket: bucketOf(server) }).blobs()).put('session-1', 'a', large);
    await expect(blobs.get('session-1', 'a')).rejects.toThrow('set s3Bucket and its keys as on the other machines');
    await expect(without.outputs.remove('session-1')).rejects.toMatchObject({ code: 'STORAGE_ELSEWHERE' });
    expect(server.objects.size).toBe(1);
  });

  it('an object that the bucket has and did not confirm goes with its session', async () => {
    const one = await door({ bucket: bucketOf(server) }).blobs();
    server.next.push('lost', 'lost', 'lost', 'lost', 'lost');
    await one.put('session-1', 'a', large);
    expect([server.objects.size, warnings.length]).toEqual([1, 1]);
    await one.remove('session-1');
    expect(server.objects.size).toBe(0);
  });

  it('an output that is too large to be read stays on its machine', async () => {
    const { createSharedOutputs } = await import('./shared-outputs.ts');
    const [one, two] = [door(), door()];
    const blobs = await one.blobs();
    const outputs = createSharedOutputs({ local: one.outputs, blobs: async () => blobs as never, largestShared: 10 });
    const path = await outputs.keep('session-1', 'call', 'more than ten bytes');
    const handle = await outputs.open(path);
    expect(await handle?.readFile('utf8')).toBe('more than ten bytes');
    await handle?.close();
    await expect(two.outputs.open(path)).rejects.toMatchObject({ code: 'STORAGE_ELSEWHERE' });
  });
});
