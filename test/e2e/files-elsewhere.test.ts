// A conversation whose turns run on two machines that share nothing but the database, the bucket and the platform: what the first one received and kept is read
// on the second.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type S3Server, startS3Server } from '../fakes/s3-server.ts';
import { eventually } from '../support/eventually.ts';
import { type TestDatabase, testDatabase } from '../support/postgres.ts';
import { createSharedGateways, type Machine, type SharedGateways } from '../support/shared-gateways.ts';

let database: TestDatabase;
let bucket: S3Server;
let shared: SharedGateways;
let sent = 0;
beforeEach(async () => {
  [database, bucket] = [await testDatabase(), await startS3Server()];
});
afterEach(async () => {
  await shared.remove();
  await bucket.close();
  await database.drop();
});

function gateways({ withBucket }: { withBucket: boolean }): [one: Machine, two: Machine] {
  const { endpoint, region, keys } = bucket;
  const s3 = withBucket ? { s3Bucket: bucket.bucket, s3Endpoint: endpoint, s3Region: region } : {};
  shared = createSharedGateways({
    url: database.url,
    count: 2,
    config: { provider: 'stub', storeFileMegabytes: 1, ...s3 },
    env: { LAINCLAW_S3_ACCESS_KEY_ID: keys.accessKeyId, LAINCLAW_S3_SECRET_ACCESS_KEY: keys.secretAccessKey },
  });
  return shared.machines as [Machine, Machine];
}

/** Writes to the one gateway that runs, and resolves with what its answer must hold. */
async function say(
  text: string,
  answer: RegExp,
  { files = [] as string[], chatId = 'c' } = {},
): Promise<RegExpMatchArray> {
  sent += 1;
  const before = shared.outbox().length;
  shared.write([{ id: String(sent), chatId, senderId: `of-${chatId}`, text, files: files.map((path) => ({ path })) }]);
  const answered = (): string =>
    shared
      .outbox()
      .slice(before)
      .map(({ markdown }) => markdown)
      .join('\n');
  await eventually(() => expect(answered()).toMatch(answer));
  return answered().match(answer) as RegExpMatchArray;
}

const call = (path: string, more: object = {}): string => `tool:fs.read_file ${JSON.stringify({ path, ...more })}`;

it('a file of a chat and a whole output are read by a turn on the other machine, small ones and large ones', async () => {
  const [one, two] = gateways({ withBucket: true });
  await one.start();
  mkdirSync(one.workspace, { recursive: true });
  const lines = (count: number): string =>
    Array.from({ length: count }, (_, index) => `line ${index} of the log`).join('\n');
  writeFileSync(join(one.workspace, 'small.log'), lines(5_000));
  writeFileSync(join(one.workspace, 'large.log'), lines(80_000));
  writeFileSync(join(shared.folder, 'plan.txt'), 'the door code is 4711');
  writeFileSync(join(shared.folder, 'data.bin'), Buffer.alloc(1_500_000, 'z\n'));
  const files = ['plan.txt', 'data.bin'];
  const [, plan = '', data = ''] = await say('look at these', /(inbox\S+?\.txt)[\s\S]*?(inbox\S+?\.bin)/, { files });
  const whole = /the whole is in (\/\S+)/;
  const [, small = ''] = await say(call('small.log', { maxBytes: 3_000_000 }), whole);
  const [, large = ''] = await say(call('large.log', { maxBytes: 3_000_000 }), whole);
  expect(bucket.objects.size).toBe(2);
  await one.end('SIGTERM');

  await two.start();
  await say(call(plan), /the door code is 4711/);
  await say(call(data, { maxLines: 2 }), /z/);
  // From the middle, which the first answer left out.
  await say(call(small, { startLine: 2_500, maxLines: 1 }), /line 2499 of the log/);
  await say(call(large, { startLine: 40_000, maxLines: 1 }), /line 39999 of the log/);
  // Another conversation reads none of them.
  await say(call(small), /outside workspace/, { chatId: 'd' });
});

it('without a bucket, what is too large for the database is named with the machine that has it', async () => {
  const [one, two] = gateways({ withBucket: false });
  await one.start();
  writeFileSync(join(shared.folder, 'data.bin'), Buffer.alloc(1_500_000, 'z\n'));
  const [, path = ''] = await say('look at this', /(inbox\S+?\.bin)/, { files: ['data.bin'] });
  await one.end('SIGTERM');
  await two.start();
  await say(call(path), /\(2 MB\) is on another machine, machine-\w+: [\s\S]*set s3Bucket/);
});
