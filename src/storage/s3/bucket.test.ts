import { hash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type S3Server, startS3Server } from '../../../test/fakes/s3-server.ts';
import { type Bucket, type BucketSettings, createBucket, tryBucket } from './bucket.ts';

let server: S3Server;
beforeEach(async () => {
  server = await startS3Server();
});
afterEach(() => server.close());

function bucketWith(change: Partial<BucketSettings> = {}, now = Date.now): Bucket {
  const { endpoint, region, bucket, keys } = server;
  const settings = { endpoint, region, bucket, keys, prefix: 'lainclaw/', isPathStyle: true, ...change };
  return createBucket(settings, { now, firstWaitMs: 1 });
}

const content = randomBytes(300_000);
const sha256 = hash('sha256', content);
const statuses = (): string[] => server.log.map((line) => line.split(' ').slice(0, 2).join(' '));

describe('an S3-compatible bucket', () => {
  it('keeps, returns, replaces and removes an object under its prefix, with signatures that the store accepts', async () => {
    const bucket = bucketWith();
    await bucket.put('session/a b+ü(1)*.txt', content, sha256);
    expect([...server.objects.keys()]).toEqual(['lainclaw/session/a b+ü(1)*.txt']);
    expect((await bucket.get('session/a b+ü(1)*.txt', sha256))?.equals(content)).toBe(true);
    await bucket.put('session/a b+ü(1)*.txt', Buffer.from('new'), hash('sha256', 'new'));
    expect(server.objects.get('lainclaw/session/a b+ü(1)*.txt')?.toString()).toBe('new');
    await bucket.remove('session/a b+ü(1)*.txt');
    await bucket.remove('session/a b+ü(1)*.txt');
    expect(await bucket.get('session/a b+ü(1)*.txt', sha256)).toBeUndefined();
    expect(statuses()).toEqual(['PUT 200', 'GET 200', 'PUT 200', 'DELETE 204', 'DELETE 204', 'GET 404']);
  });

  it('an empty object is one', async () => {
    await bucketWith().put('empty', new Uint8Array(), hash('sha256', ''));
    expect((await bucketWith().get('empty', hash('sha256', '')))?.length).toBe(0);
  });

  it.each([[{ status: 503, code: 'SlowDown' }], [{ status: 500, code: 'InternalError' }], [{ status: 429, code: '' }]])(
    'asks a store again that answers %j',
    async (failure) => {
      server.next.push(failure, failure);
      await bucketWith().put('a', content, sha256);
      expect(statuses()).toEqual([`PUT ${failure.status}`, `PUT ${failure.status}`, 'PUT 200']);
    },
  );

  it('gives up on a store that stays busy, and says so', async () => {
    server.next.push(...Array.from({ length: 5 }, () => ({ status: 503, code: 'SlowDown' })));
    await expect(bucketWith().put('a', content, sha256)).rejects.toMatchObject({
      code: 'STORAGE_UNREACHABLE',
      message: expect.stringMatching(/the bucket "files" at http:.*answers 503 SlowDown; try again later/),
    });
    expect(statuses()).toHaveLength(5);
    expect(server.objects.size).toBe(0);
  });

  it.each(['cut', 'changed', 'short'] as const)(
    'never returns a body that arrives %s: it is asked for again',
    async (damage) => {
      await bucketWith().put('a', content, sha256);
      server.next.push(damage, damage);
      expect((await bucketWith().get('a', sha256))?.equals(content)).toBe(true);
      expect(server.log.filter((line) => line.startsWith('GET'))).toHaveLength(3);
    },
  );

  it('an object that was changed in the store is refused', async () => {
    await bucketWith().put('a', content, sha256);
    server.objects.set('lainclaw/a', Buffer.from('something else'));
    await expect(bucketWith().get('a', sha256)).rejects.toMatchObject({
      message: expect.stringContaining('the object a is not as it was stored'),
    });
  });

  it.each([
    [
      'an unknown access key',
      { accessKeyId: 'OTHER' },
      'it does not know the access key: correct LAINCLAW_S3_ACCESS_KEY_ID',
    ],
    ['a wrong secret', { secretAccessKey: 'other' }, 'the secret key is wrong: correct LAINCLAW_S3_SECRET_ACCESS_KEY'],
  ])('%s is named, without the secret and without another try', async (_what, change, told) => {
    const keys = { ...server.keys, ...change };
    const failure = await bucketWith({ keys })
      .put('a', content, sha256)
      .catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'STORAGE_NO_PERMISSION', message: expect.stringContaining(told) });
    expect(String(failure)).not.toContain(keys.secretAccessKey);
    expect(statuses()).toEqual(['PUT 403']);
  });

  it.each([
    ['without keys', { keys: undefined }, 'without keys: set LAINCLAW_S3_ACCESS_KEY_ID and'],
    ['in another region', { region: 'eu-other-1' }, 'correct s3Region'],
    ['with another bucket', { bucket: 'others' }, 'it has no bucket of this name'],
  ])('%s it says what to correct', async (_what, change, told) => {
    await expect(bucketWith(change).put('a', content, sha256)).rejects.toThrow(told);
    await expect(bucketWith(change).get('a', sha256)).rejects.toThrow(told);
  });

  it('uses the time of the store where the clocks differ', async () => {
    server.aheadMs = 3 * 3_600_000;
    const bucket = bucketWith();
    await bucket.put('a', content, sha256);
    expect((await bucket.get('a', sha256))?.equals(content)).toBe(true);
    expect(statuses()).toEqual(['PUT 403', 'PUT 200', 'GET 200']);
  });

  it('a store that cannot be reached is named', async () => {
    await server.close();
    await expect(bucketWith().put('a', content, sha256)).rejects.toMatchObject({
      code: 'STORAGE_UNREACHABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('a store that hangs is waited for once: who stores a file waits as well', async () => {
    let asked = 0;
    const fetch = ((_url: URL, { signal }: { signal: AbortSignal }) => {
      asked += 1;
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    }) as unknown as typeof globalThis.fetch;
    const { endpoint, region, keys } = server;
    const settings = { endpoint, region, keys, bucket: 'files', prefix: '', isPathStyle: true };
    const bucket = createBucket(settings, { now: Date.now, fetch, firstWaitMs: 1, timeoutMs: 20 });
    await expect(bucket.put('a', content, sha256)).rejects.toMatchObject({
      code: 'STORAGE_UNREACHABLE',
      message: expect.stringContaining('it does not answer'),
    });
    expect(asked).toBe(1);
  });

  it('the trial leaves nothing behind', async () => {
    await tryBucket(bucketWith(), 'trial');
    expect([statuses(), server.objects.size]).toEqual([['PUT 200', 'GET 200', 'DELETE 204'], 0]);
  });
});
