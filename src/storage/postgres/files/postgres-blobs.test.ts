import { hash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeBlobs } from '../../../../test/conformance/blobs.ts';
import type { StorageSubject } from '../../../../test/conformance/storage.ts';
import { type S3Server, startS3Server } from '../../../../test/fakes/s3-server.ts';
import { postgresSubject } from '../../../../test/support/postgres-subject.ts';
import type { Storage } from '../../storage.ts';
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
  let subject: StorageSubject;
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
