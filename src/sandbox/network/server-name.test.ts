import { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFirstMessage } from './server-name.ts';

/** What a real client says first. */
async function hello(servername: string | undefined, minVersion: 'TLSv1.2' | 'TLSv1.3'): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      resolve(chunk);
      done();
    },
  });
  const client = connect({ socket, servername, minVersion, maxVersion: minVersion, rejectUnauthorized: false });
  client.on('error', () => {});
  const bytes = await promise;
  client.destroy();
  socket.destroy();
  return bytes;
}

test.for(['TLSv1.2', 'TLSv1.3'] as const)('the name that a client of %s asks for is read', async (version) => {
  expect(readFirstMessage(await hello('a.example', version))).toEqual({ kind: 'tls', name: 'a.example' });
  expect(readFirstMessage(await hello(undefined, version))).toEqual({ kind: 'tls', name: undefined });
});

test('part of a message is incomplete, whichever part, and other bytes are something else', async () => {
  const whole = await hello('a.example', 'TLSv1.3');
  let looks = 0;
  for (let size = 0; size < whole.length; size += 1) {
    const message = readFirstMessage(whole.subarray(0, size));
    expect(message).toMatchObject({ kind: 'incomplete' });
    expect(message.kind === 'incomplete' && message.needs > size && message.needs <= whole.length).toBe(true);
  }
  // A client that sends byte by byte is looked at a few times, not for each byte.
  for (let size = 0; size < whole.length; looks += 1) {
    const message = readFirstMessage(whole.subarray(0, size));
    size = message.kind === 'incomplete' ? message.needs : whole.length;
  }
  expect(looks).toBeLessThan(10);
  expect(readFirstMessage(Buffer.from('GET / HTTP/1.1\r\n'))).toEqual({ kind: 'other' });
});

test('a message that is spread over records is read as one', async () => {
  const whole = await hello('a.example', 'TLSv1.3');
  const body = whole.subarray(5);
  const records = [body.subarray(0, 40), body.subarray(40, 41), body.subarray(41)].map((part) => {
    const header = Buffer.from([22, 3, 1, 0, 0]);
    header.writeUInt16BE(part.length, 3);
    return Buffer.concat([header, part]);
  });
  expect(readFirstMessage(Buffer.concat(records))).toEqual({ kind: 'tls', name: 'a.example' });
});

test('no bytes make it throw', async () => {
  const whole = await hello('a.example', 'TLSv1.3');
  const changed = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 20 }).map((changes) => {
    const bytes = Buffer.from(whole);
    for (const [at, value] of changes) bytes[at] = value;
    return bytes;
  });
  const random = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from([22, 3, ...bytes]));
  fc.assert(fc.property(fc.oneof(changed, random), (bytes) => void readFirstMessage(bytes)));
});
