import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { PIXEL } from '../../../test/conformance/channel-pictures.ts';
import { type Answer, runEnd, testChats } from '../../../test/support/chats.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { afterFile } from '../../../test/support/test-home.ts';
import type { RunEvent } from '../../pipeline/events.ts';
import type { KeptPicture } from '../../tools/pictures.ts';

const base = mkdtempSync(join(tmpdir(), 'lainclaw-pictures-'));
afterFile(() => rmSync(base, { recursive: true, force: true }));

function kept(name: string, bytes: Uint8Array = PIXEL): KeptPicture {
  const path = join(base, name);
  writeFileSync(path, bytes);
  return { mediaType: 'image/png', path, isForPerson: true };
}

function toolEnd(pictures: readonly KeptPicture[], isOk = true): RunEvent {
  const call = { id: 'c', name: 'mcp__browser__screenshot', args: {}, source: 'model' as const };
  const error = { code: 'execution_error' as const, message: 'it broke' };
  const meta = { durationMs: 1 };
  const result = isOk ? { ok: true as const, data: {}, meta, pictures } : { ok: false as const, error, meta, pictures };
  return { type: 'tool-end', call, result };
}

const answerWith = (...pictures: KeptPicture[]): Answer =>
  async function* (request) {
    yield toolEnd(pictures);
    yield runEnd(request, 'Here it is.');
  };

type Chats = Awaited<ReturnType<typeof testChats>>;
const pictures = async (chats: Chats): Promise<Buffer[]> =>
  (await chats.platform.seen('anna')).flatMap(({ picture }) => (picture ? [Buffer.from(picture)] : []));

it('a picture that a tool made follows the answer', async () => {
  const chats = await testChats(answerWith(kept('follows.png')));
  await chats.start();
  await chats.write('show me the page');
  await chats.says(['Here it is.', '']);
  expect(await pictures(chats)).toEqual([PIXEL]);
});

it('a picture that the model only read, or that came with a failure, is not sent', async () => {
  const { isForPerson: _, ...read } = kept('read.png');
  const chats = await testChats(async function* (request) {
    yield toolEnd([read]);
    yield toolEnd([kept('failure.png')], false);
    yield runEnd(request, 'I have seen it.');
  });
  const gateway = await chats.start();
  await chats.write('read it');
  await chats.says(['I have seen it.']);
  await gateway.drain(new AbortController().signal);
  expect(await pictures(chats)).toEqual([]);
});

it('of many pictures the last five are sent, and the answer says so', async () => {
  const many = await Promise.all(
    Array.from({ length: 7 }, async (_, index) =>
      kept(
        `many-${index}.png`,
        await sharp({ create: { width: 1 + index, height: 1, channels: 3, background: 'red' } })
          .png()
          .toBuffer(),
      ),
    ),
  );
  const chats = await testChats(answerWith(...many));
  await chats.start();
  await chats.write('all of them');
  await eventually(async () => expect(await pictures(chats)).toHaveLength(5));
  expect((await chats.said())[0]).toBe('Here it is.\n\n_7 pictures were made; the last 5 follow._');
  expect(await pictures(chats)).toEqual(many.slice(2).map(({ path }) => readFileSync(path)));
});

it('a picture that could not be sent is sent again by the next process, once', async () => {
  const chats = await testChats(answerWith(kept('again.png')));
  chats.platform.failWith(({ markdown }) => (markdown.startsWith('picture') ? { kind: 'unreachable' } : undefined));
  await chats.start();
  await chats.write('show me');
  await eventually(async () =>
    expect(await chats.mailbox.due(Number.MAX_SAFE_INTEGER, 9)).toMatchObject([{ attempts: 1 }]),
  );
  expect(await pictures(chats)).toEqual([]);
  chats.kill();
  chats.platform.failWith(undefined);
  await chats.start();
  await eventually(async () => expect(await pictures(chats)).toEqual([PIXEL]));
  await eventually(async () => expect(await chats.mailbox.counts()).toMatchObject({ outbox: 0, dead: 0 }));
  expect(await chats.said()).toEqual(['Here it is.', '']);
});

it('a picture that the platform refuses is made smaller, and given up when that is refused too', async () => {
  const large = await sharp({ create: { width: 3_000, height: 2_000, channels: 3, background: 'blue' } })
    .png()
    .toBuffer();
  const chats = await testChats(answerWith(kept('large.png', large)));
  chats.platform.failWith(({ markdown }) =>
    markdown === `picture of ${large.length} bytes` ? { kind: 'rejected' } : undefined,
  );
  const gateway = await chats.start();
  await chats.write('one');
  await eventually(async () => expect(await pictures(chats)).toHaveLength(1));
  const [smaller] = await pictures(chats);
  expect(await sharp(smaller).metadata()).toMatchObject({ width: 1_568 });

  chats.platform.failWith(({ markdown }) => (markdown.startsWith('picture') ? { kind: 'rejected' } : undefined));
  await chats.write('two');
  await eventually(async () => expect(await gateway.deadLetters()).toHaveLength(1));
  expect(await chats.said()).toEqual(['Here it is.', '', 'Here it is.']);
  chats.platform.failWith(undefined);
  await gateway.revive(undefined);
  await eventually(async () => expect(await pictures(chats)).toHaveLength(2));
});

it('a picture whose file is gone is given up with the reason, and holds nothing up', async () => {
  const picture = kept('gone.png');
  const chats = await testChats(answerWith(picture));
  rmSync(picture.path);
  const gateway = await chats.start();
  await chats.write('one');
  await chats.says(['Here it is.']);
  await eventually(async () =>
    expect(await gateway.deadLetters()).toMatchObject([
      { lastError: `the picture is not in ${picture.path} any more` },
    ]),
  );
  await chats.write('two');
  await chats.says(['Here it is.', 'Here it is.']);
});

it('the pictures of an answer that only the transcript has are sent by the next process', async () => {
  const chats = await testChats(async function* () {
    await new Promise(() => {});
    yield* [];
  });
  await chats.start();
  await chats.write('one');
  await eventually(() => expect(chats.asked).toHaveLength(1));
  chats.kill();
  const found = { outcome: 'answered' as const, text: 'Here it is.', calls: [], pictures: [kept('transcript.png')] };
  await chats.start({ sessions: { findTurn: async () => found } });
  await chats.says(['Here it is.', '']);
  expect(await pictures(chats)).toEqual([PIXEL]);
});
