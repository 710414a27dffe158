// What every channel that sends pictures must do with one: the same as with a text.
import { beforeEach, describe, expect, test } from 'vitest';
import { type Channel, ChannelError, type ChannelErrorCode, type OutgoingPicture } from '../../src/channels/channel.ts';
import type { ChannelSubject, PlatformFault } from './channel-subject.ts';

const never = new AbortController().signal;

export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const FAILURES: { fault: PlatformFault; codes: ChannelErrorCode[] }[] = [
  { fault: { kind: 'rate-limited', retryAfterMs: 3_000 }, codes: ['rate-limited'] },
  { fault: { kind: 'unreachable' }, codes: ['unreachable', 'unknown-outcome'] },
  { fault: { kind: 'rejected' }, codes: ['rejected'] },
  { fault: { kind: 'answer-lost' }, codes: ['unknown-outcome'] },
];

export function describePictures(subjectNow: () => ChannelSubject, connected: () => Promise<Channel>): void {
  describe('a picture', () => {
    let keys = 0;
    beforeEach(({ skip }) => skip(!subjectNow().open().sendPicture, 'the platform shows no pictures'));
    const draft = (more: Partial<OutgoingPicture> = {}): OutgoingPicture => {
      keys += 1;
      const { direct: chatId } = subjectNow().chats;
      return { key: `picture-${keys}`, chatId, mediaType: 'image/png', bytes: PIXEL, ...more };
    };
    const seenPictures = async (chatId = subjectNow().chats.direct): Promise<Buffer[]> =>
      (await subjectNow().platform.seen(chatId)).flatMap(({ picture }) => (picture ? [Buffer.from(picture)] : []));

    test('is in its chat when it is confirmed, after what was sent before', async () => {
      const channel = await connected();
      const { direct, otherDirect } = subjectNow().chats;
      const text = await channel.send({ key: 'before', chatId: direct, markdown: 'Here it is:' }, never);
      const sent = await send(channel, draft());
      expect(sent.chatId).toBe(direct);
      const seen = await subjectNow().platform.seen(direct);
      expect(seen.map(({ messageId }) => messageId)).toEqual([text.messageId, sent.messageId]);
      expect(await seenPictures()).toEqual([PIXEL]);
      expect(await subjectNow().platform.seen(otherDirect)).toEqual([]);
    });

    test('goes to a group', async () => {
      const channel = await connected();
      const { group } = subjectNow().chats;
      await send(channel, draft({ chatId: group }));
      expect(await seenPictures(group)).toEqual([PIXEL]);
    });

    test('twice with one key is there once, where the platform knows keys', async (context) => {
      const channel = await connected();
      if (!channel.isIdempotent) return context.skip('the platform knows no keys');
      const picture = draft();
      const first = await send(channel, picture);
      expect(await send(channel, picture)).toEqual(first);
      expect(await send(await connected(), picture)).toEqual(first);
      expect(await seenPictures()).toHaveLength(1);
    });

    test.for(FAILURES)('that meets $fault says so, and the next one is sent', async ({ fault, codes }, context) => {
      const { platform, secrets } = subjectNow();
      if (!platform.failNextSend) return context.skip('nothing is in between');
      const channel = await connected();
      platform.failNextSend(fault, 'picture');
      const picture = draft();
      const error = await send(channel, picture).then(
        () => expect.unreachable('it was sent'),
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(ChannelError);
      const { code, retryAfterMs, message } = error as ChannelError;
      expect(codes).toContain(code);
      if (fault.kind === 'rate-limited') expect(retryAfterMs).toBeGreaterThanOrEqual(fault.retryAfterMs);
      for (const secret of secrets) expect(message).not.toContain(secret);
      await send(channel, draft());
      if (channel.isIdempotent) await send(channel, picture);
      const wasTaken = fault.kind === 'answer-lost' || channel.isIdempotent;
      expect(await seenPictures()).toHaveLength(wasTaken ? 2 : 1);
    });

    test('is not sent when the caller has given up, or the channel is closed', async () => {
      const channel = await connected();
      await expect(send(channel, draft(), AbortSignal.abort())).rejects.toThrow();
      await channel.close();
      await expect(send(channel, draft())).rejects.toThrow();
      expect(await seenPictures()).toEqual([]);
    });
  });
}

function send(channel: Channel, picture: OutgoingPicture, signal = never): ReturnType<Channel['send']> {
  if (!channel.sendPicture) throw new Error(`${channel.name} sends no pictures`);
  return channel.sendPicture(picture, signal);
}
