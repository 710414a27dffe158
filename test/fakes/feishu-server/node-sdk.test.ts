import * as lark from '@larksuiteoapi/node-sdk';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type FeishuServer, startFeishuServer } from './feishu-server.ts';

const quiet = { error() {}, warn() {}, info() {}, debug() {}, trace() {} };
const CARD = JSON.stringify({
  schema: '2.0',
  config: { update_multi: true },
  body: { elements: [{ tag: 'markdown', content: 'hello' }] },
});

let server: FeishuServer;
let socket: lark.WSClient | undefined;

beforeEach(async () => {
  server = await startFeishuServer({ fragmentBytes: 64, clientConfig: { PingInterval: 0.1 } });
  server.addChat('oc_direct', 'p2p', 'ou_anna');
});
afterEach(async () => {
  socket?.close({ force: true });
  await server.close();
});

type Handle = (event: { message: { message_id: string; content: string } }) => Promise<void>;

/** The bare SDK misses what comes with the handshake, so nothing is said before it is ready. */
function connect(handle: Handle): Promise<void> {
  const { appId, appSecret, url: domain } = server;
  const eventDispatcher = new lark.EventDispatcher({ logger: quiet }).register({ 'im.message.receive_v1': handle });
  return new Promise((onReady, onError) => {
    socket = new lark.WSClient({ appId, appSecret, domain, logger: quiet, onReady, onError });
    void socket.start({ eventDispatcher });
  });
}

test('the unmodified SDK connects, takes an event in fragments, acknowledges it and pings', async () => {
  const texts: string[] = [];
  await connect(async ({ message }) => void texts.push(message.content));
  server.say({ chatId: 'oc_direct', senderId: 'ou_anna', text: 'héllo 你好 🌍'.repeat(20) });
  await eventually(() => expect(server.push.events[0]?.state).toBe('acknowledged'));
  expect(JSON.parse(texts[0] ?? '')).toEqual({ text: 'héllo 你好 🌍'.repeat(20) });
  await eventually(() => expect(server.push.pings).toBeGreaterThan(2));
  expect(server.violations).toEqual([]);
});

test('an event whose handler throws is not acknowledged and comes again', async () => {
  let deliveries = 0;
  await connect(async () => {
    deliveries += 1;
    if (deliveries === 1) throw new Error('not now');
  });
  server.say({ chatId: 'oc_direct', senderId: 'ou_anna', text: 'again' });
  await eventually(() => expect(server.push.events[0]?.answer).toEqual({ code: 500 }));
  server.push.redeliver();
  await eventually(() => expect(server.push.events[0]?.state).toBe('acknowledged'));
  expect(deliveries).toBe(2);
});

test('the unmodified SDK sends, replies, changes, reacts and downloads', async () => {
  const { appId, appSecret, url: domain } = server;
  const client = new lark.Client({ appId, appSecret, domain, logger: quiet });
  const { messageId } = server.say({
    chatId: 'oc_direct',
    senderId: 'ou_anna',
    file: { kind: 'file', name: 'a.txt', content: Buffer.from('content') },
  });
  const created = await client.im.v1.message.create({
    params: { receive_id_type: 'open_id' },
    data: { receive_id: 'ou_anna', msg_type: 'interactive', content: CARD, uuid: 'one' },
  });
  const again = await client.im.v1.message.create({
    params: { receive_id_type: 'chat_id' },
    data: { receive_id: 'oc_direct', msg_type: 'interactive', content: CARD, uuid: 'one' },
  });
  expect(again.data?.message_id).toBe(created.data?.message_id);
  await client.im.v1.message.reply({
    path: { message_id: messageId },
    data: { msg_type: 'interactive', content: CARD, reply_in_thread: true },
  });
  await client.im.v1.message.patch({
    path: { message_id: created.data?.message_id ?? '' },
    data: { content: CARD.replace('hello', 'changed') },
  });
  const reaction = await client.im.v1.messageReaction.create({
    path: { message_id: messageId },
    data: { reaction_type: { emoji_type: 'Typing' } },
  });
  await client.im.v1.messageReaction.delete({
    path: { message_id: messageId, reaction_id: reaction.data?.reaction_id ?? '' },
  });
  const key = [...(server.store.messages.get(messageId)?.files.keys() ?? [])][0] ?? '';
  const resource = await client.im.v1.messageResource.get({
    path: { message_id: messageId, file_key: key },
    params: { type: 'file' },
  });
  const chunks: Buffer[] = [];
  for await (const chunk of resource.getReadableStream()) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe('content');
  expect(server.sent('oc_direct').map(({ seen, replyTo }) => ({ text: seen.text, replyTo }))).toEqual([
    { text: 'changed', replyTo: undefined },
    { text: 'hello', replyTo: messageId },
  ]);
  expect(server.violations).toEqual([]);
});
