// The name of the server that a TLS client asks for, read from its first message (RFC 8446 section 4.1.2, RFC 6066
// section 3). Many hosts share an address: only this name tells which of them a connection inside a tunnel reaches.

export type FirstMessage =
  /** `needs`: how many bytes in all there must be before another look can tell more. */
  | { kind: 'incomplete'; needs: number }
  /** Not the beginning of a TLS connection. */
  | { kind: 'other' }
  /** `name` is undefined when the client names no server. */
  | { kind: 'tls'; name: string | undefined };

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const RECORD_HEADER = 5;
const MOST_BYTES = 65_536;

export function readFirstMessage(bytes: Buffer): FirstMessage {
  if (bytes.length === 0) return { kind: 'incomplete', needs: 1 };
  if (bytes[0] !== HANDSHAKE || (bytes.length > 1 && bytes[1] !== 3)) return { kind: 'other' };
  const handshake = joinRecords(bytes);
  if (handshake === 'other') return { kind: 'other' };
  if (handshake.length < 4) return incomplete(bytes, 4 - handshake.length);
  if (handshake[0] !== CLIENT_HELLO) return { kind: 'other' };
  const length = handshake.readUIntBE(1, 3);
  if (handshake.length < 4 + length) return incomplete(bytes, 4 + length - handshake.length);
  try {
    return { kind: 'tls', name: serverName(handshake.subarray(4, 4 + length)) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { kind: 'other' };
  }
}

function incomplete({ length }: Buffer, missing: number): FirstMessage {
  if (length > MOST_BYTES) return { kind: 'other' };
  return { kind: 'incomplete', needs: Math.min(length + missing, MOST_BYTES + 1) };
}

/** The message may be spread over several records; the last one may not be whole yet. */
function joinRecords(bytes: Buffer): Buffer | 'other' {
  const parts: Buffer[] = [];
  for (let at = 0; at + RECORD_HEADER <= bytes.length; ) {
    if (bytes[at] !== HANDSHAKE) return parts.length === 0 ? 'other' : Buffer.concat(parts);
    const length = bytes.readUInt16BE(at + 3);
    // The protocol has no empty records of this kind; without them each record brings the message forward.
    if (length === 0) return 'other';
    parts.push(bytes.subarray(at + RECORD_HEADER, at + RECORD_HEADER + length));
    at += RECORD_HEADER + length;
  }
  return Buffer.concat(parts);
}

/** Reading past the end throws RangeError. */
function serverName(hello: Buffer): string | undefined {
  let at = 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  if (at === hello.length) return undefined;
  const end = at + 2 + hello.readUInt16BE(at);
  at += 2;
  while (at < end) {
    const type = hello.readUInt16BE(at);
    const length = hello.readUInt16BE(at + 2);
    at += 4;
    // A list of names. Only the first can be there: its kind, its length, its text.
    if (type === SERVER_NAME && hello.readUInt8(at + 2) === 0) {
      const size = hello.readUInt16BE(at + 3);
      return hello.toString('latin1', at + 5, at + 5 + size);
    }
    at += length;
  }
  return undefined;
}
