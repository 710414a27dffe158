import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buttonValueOf, type MessageEvent, messageOf, type PressEvent, pressOf } from './events.ts';

const BOT = 'ou_bot';

function event(type: string, content: unknown, more: Partial<MessageEvent['message']> = {}): MessageEvent {
  return {
    sender: { sender_id: { open_id: 'ou_anna' }, sender_type: 'user' },
    message: {
      message_id: 'om_1',
      message_type: type,
      content: typeof content === 'string' ? content : JSON.stringify(content),
      create_time: '1700000000123',
      chat_id: 'oc_1',
      chat_type: 'p2p',
      ...more,
    },
  };
}

const mention = (key: string, name: string, id: string) => ({ key, name, id: { open_id: id } });
const textOf = (type: string, content: unknown, more?: Partial<MessageEvent['message']>) =>
  messageOf(event(type, content, more), BOT)?.text;

describe('the text', () => {
  test('has people by their names, and not the bot', () => {
    const mentions = [mention('@_user_1', 'Bot', BOT), mention('@_user_2', 'Boris', 'ou_boris')];
    expect(textOf('text', { text: '@_user_1 ask @_user_2 and @_all' }, { mentions })).toBe('ask @Boris and @all');
  });

  test('of ten people names each', () => {
    const mentions = [mention('@_user_1', 'One', 'ou_1'), mention('@_user_10', 'Ten', 'ou_10')];
    expect(textOf('text', { text: '@_user_10 @_user_1' }, { mentions })).toBe('@Ten @One');
  });

  test('keeps what only looks like a mention', () => {
    expect(textOf('text', { text: 'mail me@_user_3 $& $1' })).toBe('mail me@_user_3 $& $1');
  });

  test('of a rich text is Markdown, its pictures and videos are files', () => {
    const mentions = [mention('@_user_1', 'Bot', BOT)];
    const content = {
      title: 'Plan',
      content: [
        [
          { tag: 'at', user_id: '@_user_1', user_name: 'Bot' },
          { tag: 'text', text: ' read ' },
          { tag: 'a', text: 'this', href: 'https://example.com' },
          { tag: 'emotion', emoji_type: 'SMILE' },
        ],
        [{ tag: 'img', image_key: 'img_1' }],
        [{ tag: 'code_block', language: 'GO', text: 'x := 1\n' }],
        [{ tag: 'media', file_key: 'file_1', image_key: 'img_2' }],
      ],
    };
    const message = messageOf(event('post', content, { mentions }), BOT);
    expect(message?.text).toContain('# Plan\n\n read [this](https://example.com):SMILE:');
    expect(message?.text).toContain('```go\nx := 1\n```');
    expect(message?.files.map(({ kind, reference }) => ({ kind, reference }))).toEqual([
      { kind: 'image', reference: { messageId: 'om_1', key: 'img_1', type: 'image' } },
      { kind: 'file', reference: { messageId: 'om_1', key: 'file_1', type: 'file' } },
    ]);
    expect(messageOf(event('post', { zh_cn: content }, { mentions }), BOT)?.text).toBe(message?.text);
  });

  test('a sticker and a contact card become text', () => {
    expect(textOf('sticker', { file_key: 'f' })).toBe('[a sticker, which Feishu does not show to bots]');
    expect(textOf('share_user', { user_id: 'ou_1' })).toBe('[contact card of the person ou_1]');
    expect(textOf('share_user', {})).toContain('"share_user"');
  });

  test('of a kind that cannot be read says so', () => {
    expect(textOf('share_chat', { chat_id: 'oc_2' })).toContain('"share_chat"');
    expect(textOf('location', { name: 'Park', latitude: '1', longitude: '2' })).toBe('[place: Park (1, 2)]');
  });
});

describe('files', () => {
  test.each([
    ['image', { image_key: 'img_v3_abc' }, { kind: 'image', name: 'img_v3_abc.png' }],
    ['file', { file_key: 'f', file_name: '报告.pdf' }, { kind: 'file', name: '报告.pdf' }],
    ['file', { file_key: 'f', file_name: '../../.ssh/config' }, { name: '__.._.ssh_config' }],
    ['file', { file_key: 'f', file_name: '' }, { name: 'f' }],
    ['audio', { file_key: 'f_1', duration: 2000 }, { kind: 'file', name: 'f_1.opus' }],
    ['media', { file_key: 'f', image_key: 'i', file_name: 'a.mp4' }, { kind: 'file', name: 'a.mp4' }],
  ])('%s %j', (type, content, expected) => {
    expect(messageOf(event(type, content), BOT)?.files).toMatchObject([expected]);
  });

  test('never have a path for a name', () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.oneof(fc.nat(0xffff), fc.constantFrom(0x2e, 0x2f, 0x5c, 0x0a, 0)))
          .map((codes) => String.fromCharCode(...codes)),
        (file_name) => {
          const name = messageOf(event('file', { file_key: 'f', file_name }), BOT)?.files[0]?.name ?? '';
          expect(name).not.toMatch(/[/\\]|^\.|\n/);
          expect(name.length).toBeGreaterThan(0);
        },
      ),
    );
  });
});

describe('where and who', () => {
  test('tells a group from a direct chat, and a mention from none', () => {
    const group = { chat_type: 'group' };
    const mentions = [mention('@_user_1', 'Bot', BOT)];
    expect(messageOf(event('text', { text: 'x' }), BOT)).toMatchObject({ chatKind: 'direct', isAddressed: true });
    expect(messageOf(event('text', { text: 'x' }, group), BOT)).toMatchObject({
      chatKind: 'group',
      isAddressed: false,
    });
    expect(messageOf(event('text', { text: 'x' }, { ...group, mentions }), BOT)?.isAddressed).toBe(true);
    expect(messageOf(event('text', { text: '@_all x' }, group), BOT)?.isAddressed).toBe(false);
    // While our own id is not known, nobody in a group is taken to mean us.
    const nameless = [{ key: '@_user_1', name: 'X', id: {} }];
    expect(messageOf(event('text', { text: 'x' }, { ...group, mentions: nameless }), undefined)?.isAddressed).toBe(
      false,
    );
  });

  test('the order is the time of writing', () => {
    expect(messageOf(event('text', { text: 'x' }), BOT)).toMatchObject({ order: 1700000000123, sentAt: 1700000000123 });
  });

  test('a topic is named by its first message, a mere answer is none', () => {
    const inTopic = { thread_id: 'omt_1', root_id: 'om_0', parent_id: 'om_9' };
    expect(messageOf(event('text', { text: 'x' }, inTopic), BOT)).toMatchObject({ threadId: 'om_0', replyTo: 'om_9' });
    expect(messageOf(event('text', { text: 'x' }, { thread_id: 'omt_1' }), BOT)?.threadId).toBe('om_1');
    const answer = messageOf(event('text', { text: 'x' }, { root_id: 'om_0', parent_id: 'om_0' }), BOT);
    expect(answer).toMatchObject({ threadId: undefined, replyTo: 'om_0' });
  });

  test('another bot is not heard', () => {
    const fromApp = event('text', { text: 'x' });
    fromApp.sender.sender_type = 'app';
    expect(messageOf(fromApp, BOT)).toBeUndefined();
  });
});

describe('a press', () => {
  const press: PressEvent = {
    event_id: 'e1',
    create_time: '1700000000123456',
    operator: { open_id: 'ou_anna' },
    action: { value: { value: 'yes', chatKind: 'direct', threadId: 'om_0' } },
    context: { open_message_id: 'om_1', open_chat_id: 'oc_1' },
  };

  test('tells what, where, who and when', () => {
    expect(pressOf(press, 'direct', 5)).toMatchObject({
      id: 'e1',
      chatId: 'oc_1',
      threadId: 'om_0',
      sender: { id: 'ou_anna' },
      order: 1700000000123,
      pressed: { value: 'yes', messageId: 'om_1' },
    });
    expect(pressOf({ ...press, create_time: undefined }, 'direct', 5)?.order).toBe(5);
  });

  test.each([undefined, 'yes', null, {}, { value: 1 }])('on what is not a button of ours is ignored: %j', (value) => {
    expect(buttonValueOf({ ...press, action: { value } })).toBeUndefined();
    expect(pressOf({ ...press, action: { value } }, 'direct', 5)).toBeUndefined();
  });
});

test('whatever an event holds, reading it does not throw', () => {
  fc.assert(
    fc.property(fc.constantFrom('text', 'post', 'image', 'file', 'audio', 'media', 'x'), fc.json(), (type, content) => {
      expect(messageOf(event(type, content), BOT)?.id).toBe('om_1');
    }),
  );
  const tags = fc.constantFrom('text', 'a', 'at', 'img', 'media', 'code_block', 'hr', 'emotion');
  const field = fc.oneof(fc.string(), fc.integer(), fc.constant(null));
  const element = fc.oneof(
    fc.record({ tag: tags, text: field, href: field, user_id: field, image_key: field, language: field }),
    fc.jsonValue(),
  );
  const post = fc.record({ title: field, content: fc.array(fc.oneof(fc.array(element), fc.jsonValue())) });
  fc.assert(
    fc.property(post, (content) => {
      expect(messageOf(event('post', content), BOT)?.text).toBeTypeOf('string');
    }),
  );
});
