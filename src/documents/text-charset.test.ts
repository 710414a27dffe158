import { expect, it } from 'vitest';
import { charsetOf, decodeText } from './text-charset.ts';

/** The bytes of a text in a charset of one or two bytes a character. */
function encoded(text: string, charset: string): Buffer {
  const decoder = new TextDecoder(charset);
  const bytesOf = new Map<string, number[]>();
  for (let first = 0x80; first <= 0xff; first += 1) {
    const single = decoder.decode(Uint8Array.of(first));
    if (single !== '\ufffd') bytesOf.set(single, [first]);
    if (charset !== 'gb18030' && charset !== 'big5') continue;
    for (let second = 0x40; second <= 0xfe; second += 1) {
      const pair = decoder.decode(Uint8Array.of(first, second));
      if ([...pair].length === 1 && pair !== '\ufffd' && !bytesOf.has(pair)) bytesOf.set(pair, [first, second]);
    }
  }
  return Buffer.from(
    [...text].flatMap((sign) => {
      const bytes = sign < '\x80' ? [sign.charCodeAt(0)] : bytesOf.get(sign);
      if (!bytes) throw new Error(`${charset} has no ${sign}`);
      return bytes;
    }),
  );
}

it.each([
  ['gb18030', '队列会保留每一条消息，直到工作进程确认为止。'],
  ['gb18030', '姓名,金额\r\n张三,5\r\n'],
  ['gb18030', 'retries = 5 # 重试次数\n'],
  ['big5', '佇列會保留每一則訊息，直到工作程序確認為止。'],
  ['windows-1251', 'Очередь хранит каждое сообщение, пока обработчик его не подтвердит — «всегда».'],
  ['windows-1251', 'Имя;Сумма\r\nПётр;5\r\n'],
  ['windows-1251', 'ДАТА;ЦЕНА\r\n'],
  ['windows-1251', 'Цена;Дата'],
  ['koi8-r', 'Очередь хранит каждое сообщение, пока обработчик его не подтвердит.'],
  ['ibm866', 'Очередь хранит каждое сообщение, пока обработчик его не подтвердит.'],
  ['windows-1252', 'Name;Betrag\r\nMüller;1.234,50 €\r\nStraße;3\r\n'],
  ['windows-1252', 'Le café ouvre à sept heures.'],
])('%s: %s', (charset, text) => {
  const bytes = encoded(text, charset);
  expect(charsetOf(bytes)).toBe(charset);
  expect(decodeText(bytes)).toBe(text);
});

it.each([
  ['plain ASCII', Buffer.from('a,b\n1,2\n')],
  ['UTF-8 in three languages', Buffer.from('Müller, 队列, очередь')],
  [
    'UTF-8 with one damaged byte',
    Buffer.concat([Buffer.from('очередь 队列 '), Buffer.from([0xff]), Buffer.from(' x')]),
  ],
  ['UTF-8 that is cut inside of a character', Buffer.from('队列会').subarray(0, 8)],
  ['bytes that are not text', Buffer.from(Array.from({ length: 400 }, (_, index) => 0x80 + ((index * 37) % 128)))],
])('%s stays UTF-8', (_, bytes) => {
  expect(charsetOf(bytes)).toBe('utf-8');
});

it('a byte order mark decides', () => {
  expect(decodeText(Buffer.from('\ufeffя', 'utf8'))).toBe('я');
  expect(decodeText(Buffer.from('\ufeffя', 'utf16le'))).toBe('я');
  expect(decodeText(Buffer.from('\ufeffя', 'utf16le').swap16())).toBe('я');
});
