// Files of conversations with records in PostgreSQL, through the commands: where they are, what removes them, and a bucket for the larger ones.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type S3Server, startS3Server } from '../fakes/s3-server.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { testDatabase } from '../support/postgres.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const keysOf = ({ keys }: S3Server): Record<string, string> => ({
  LAINCLAW_S3_ACCESS_KEY_ID: keys.accessKeyId,
  LAINCLAW_S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
});

async function homeWithBucket() {
  const [database, bucket] = [await testDatabase(), await startS3Server()];
  afterFile(async () => {
    await bucket.close();
    await database.drop();
  });
  const home = testHome();
  const { endpoint, region } = bucket;
  const s3 = { s3Bucket: bucket.bucket, s3Endpoint: endpoint, s3Region: region };
  home.config({ provider: 'stub', store: database.url, storeFileMegabytes: 1, ...s3 });
  return { home, bucket, env: keysOf(bucket) };
}

interface Status {
  files: { place: string; count: number }[];
  bucket: string;
}

it('outputs are in the database or the bucket by their size, and leave both with their conversation', async () => {
  const { home, bucket, env } = await homeWithBucket();
  const run = (...args: string[]) => lainclaw(args, { home, env });
  const line = 'the purple elephant is called Rosebud\n';
  writeFileSync(join(home.workspace, 'small.txt'), line.repeat(3_000));
  writeFileSync(join(home.workspace, 'large.txt'), line.repeat(40_000));
  for (const [session, file] of [
    ['one', 'small.txt'],
    ['two', 'large.txt'],
    ['three', 'large.txt'],
  ]) {
    const read = `tool:fs.read_file ${JSON.stringify({ path: file, maxBytes: 3_000_000 })}`;
    const asked = await run('ask', '--session', String(session), read);
    expect(asked.code, asked.stdout + asked.stderr).toBe(0);
  }
  const status = (await run('store', 'status')).json<Status>();
  expect(status.files.map(({ place, count }) => [place, count])).toEqual([
    ['bucket', 2],
    ['database', 1],
  ]);
  expect([status.bucket, bucket.objects.size]).toEqual([`files at ${bucket.endpoint}`, 2]);
  expect((await run('store', 'status', '--text')).stdout).toMatch(
    /files of conversations: 2 \(2\.9 MB\) in the bucket, 1 \(0\.1 MB\) in the database; larger ones go to the bucket files at/,
  );

  expect((await run('sessions', 'delete', 'two', '--yes')).code).toBe(0);
  expect(bucket.objects.size).toBe(1);
  const forgotten = await run('memory', 'forget', '--everywhere', 'Rosebud', '--yes');
  expect(forgotten.code, forgotten.stdout + forgotten.stderr).toBe(0);
  expect(bucket.objects.size).toBe(0);
  expect((await run('store', 'status')).json<Status>().files).toEqual([]);
  expect(
    readdirSync(join(home.path, 'outputs'), { recursive: true }).filter((name) => String(name).endsWith('.txt')),
  ).toEqual([]);
});

it('doctor tries the bucket, and names a key that it refuses without showing the secret', async () => {
  const { home, bucket, env } = await homeWithBucket();
  const bucketCheck = async (keys: Record<string, string>) => {
    const { stdout } = await lainclaw(['doctor'], { home, env: keys });
    expect(stdout).not.toContain(keys.LAINCLAW_S3_SECRET_ACCESS_KEY);
    return (JSON.parse(stdout) as { checks: { name: string }[] }).checks.find(({ name }) => name === 'bucket');
  };
  expect(await bucketCheck(env)).toMatchObject({ state: 'ok', message: expect.stringContaining('the bucket "files"') });
  expect(bucket.objects.size).toBe(0);
  expect(await bucketCheck({ ...env, LAINCLAW_S3_SECRET_ACCESS_KEY: 'not the secret' })).toMatchObject({
    state: 'problem',
    message: expect.stringContaining('the secret key is wrong: correct LAINCLAW_S3_SECRET_ACCESS_KEY'),
  });
});
