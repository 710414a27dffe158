// Files of conversations with records in PostgreSQL, through the commands: where they are, what removes them, and a bucket for the larger ones.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type S3Server, startS3Server } from '../fakes/s3-server.ts';
import { lainclaw, startLainclaw } from '../support/lainclaw.ts';
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

it('a gateway says at its start that the bucket refuses its keys, and runs', async () => {
  const { home, env } = await homeWithBucket();
  const wrong = { ...env, LAINCLAW_S3_SECRET_ACCESS_KEY: 'not the secret' };
  const gateway = startLainclaw(['gateway', 'start', '--channel=local'], { home, env: wrong });
  await gateway.saw('"event":"ready"');
  await gateway.saw('other gateways cannot read larger files of this one: the bucket');
  await gateway.saw('the secret key is wrong: correct LAINCLAW_S3_SECRET_ACCESS_KEY');
  gateway.kill('SIGTERM');
  const { stdout: said, stderr: told } = await gateway.ended;
  expect(said + told).not.toContain('not the secret');

  // Half of our own keys: those of another store are not tried in their place.
  const { LAINCLAW_S3_ACCESS_KEY_ID: id, LAINCLAW_S3_SECRET_ACCESS_KEY: secret } = env;
  const half = { LAINCLAW_S3_ACCESS_KEY_ID: id, AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret };
  const { stdout } = await lainclaw(['doctor'], { home, env: half as Record<string, string> });
  const checks = (JSON.parse(stdout) as { checks: { name: string }[] }).checks;
  expect(checks.find(({ name }) => name === 'bucket')).toMatchObject({
    message: expect.stringContaining('cannot be used without keys: set LAINCLAW_S3_ACCESS_KEY_ID and'),
  });
});

it('store copy takes files along, both ways and into the bucket, once; what another machine has alone is counted', async () => {
  const { home, bucket, env } = await homeWithBucket();
  const small = home.file('small.txt', 'a line of the small file\n'.repeat(3_000));
  home.file('large.txt', 'a line of the large file\n'.repeat(60_000));
  const local = { ...env, LAINCLAW_STORE: '' };
  const settings = JSON.parse(readFileSync(join(home.path, 'config.json'), 'utf8')) as { store: string };
  home.config({ provider: 'stub' });
  for (const path of [small, 'large.txt']) {
    const asked = await lainclaw(['ask', `tool:fs.read_file ${JSON.stringify({ path, maxBytes: 3_000_000 })}`], {
      home,
      env: local,
    });
    expect(asked.code, asked.stdout + asked.stderr).toBe(0);
  }
  const filesOf = (path: string): string[] =>
    readdirSync(join(path, 'outputs'), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.txt'))
      .sort();
  const before = filesOf(home.path);
  expect(before).toHaveLength(2);
  home.config(settings);
  interface Copied {
    kinds: { kind: string; records: number; copied: number }[];
    filesElsewhere: number;
  }
  const copy = async (at: typeof home, to: string, variables = env) => {
    const from = to === 'local' ? 'postgres' : 'local';
    const done = await lainclaw(['store', 'copy', '--from', from, '--to', to], { home: at, env: variables });
    expect(done.code, done.stdout + done.stderr).toBe(0);
    const { kinds, filesElsewhere } = done.json<Copied>();
    const { records, copied } = kinds.find(({ kind }) => kind === 'files of conversations') ?? {};
    return [records, copied, filesElsewhere];
  };
  expect(await copy(home, 'postgres')).toEqual([2, 2, 0]);
  expect(await copy(home, 'postgres')).toEqual([2, 0, 0]);
  expect(bucket.objects.size).toBe(1);
  expect(filesOf(home.path)).toEqual(before);

  const back = testHome();
  back.config(settings);
  expect(await copy(back, 'local')).toEqual([2, 2, 0]);
  for (const name of before)
    expect(readFileSync(join(back.path, 'outputs', name)).equals(readFileSync(join(home.path, 'outputs', name)))).toBe(
      true,
    );

  // A machine that does not know the bucket has the rest.
  const without = testHome();
  without.config({ provider: 'stub', store: settings.store });
  expect(await copy(without, 'local', {})).toEqual([1, 1, 1]);
});
