// The binary frames of the long connection (protobuf, package pbbp2), written out by hand: the fake must not share the
// SDK's own reader and writer, or a mistake there would go unseen.
//   Frame  { 1 SeqID uint64, 2 LogID uint64, 3 service int32, 4 method int32, 5 headers Header[], 6 payload_encoding,
//            7 payload_type, 8 payload bytes, 9 LogIDNew }
//   Header { 1 key, 2 value }

export interface Frame {
  seqId: number;
  logId: number;
  service: number;
  /** 0: control (ping, pong); 1: data. */
  method: number;
  headers: Record<string, string>;
  payload: Buffer;
}

export function encodeFrame({ seqId, logId, service, method, headers, payload }: Frame): Buffer {
  return Buffer.concat([
    tag(1, 0),
    varint(seqId),
    tag(2, 0),
    varint(logId),
    tag(3, 0),
    varint(service),
    tag(4, 0),
    varint(method),
    ...Object.entries(headers).map(([key, value]) =>
      field(5, Buffer.concat([field(1, Buffer.from(key)), field(2, Buffer.from(value))])),
    ),
    ...(payload.byteLength > 0 ? [field(8, payload)] : []),
  ]);
}

/** Throws when a field that must be there is missing. */
export function decodeFrame(bytes: Buffer): Frame {
  const fields = readFields(bytes);
  const headers = fields
    .filter(({ id }) => id === 5)
    .map(({ value }) => {
      const parts = readFields(value as Buffer);
      return [textOf(parts, 1), textOf(parts, 2)];
    });
  return {
    seqId: numberOf(fields, 1),
    logId: numberOf(fields, 2),
    service: numberOf(fields, 3),
    method: numberOf(fields, 4),
    headers: Object.fromEntries(headers),
    payload: (fields.find(({ id }) => id === 8)?.value as Buffer | undefined) ?? Buffer.alloc(0),
  };
}

interface Field {
  id: number;
  value: number | Buffer;
}

function readFields(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const readVarint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined || shift > 63n) throw new Error('a frame ends within a number');
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(value);
    }
  };
  while (at < bytes.byteLength) {
    const key = readVarint();
    const id = key >>> 3;
    if ((key & 7) === 0) {
      fields.push({ id, value: readVarint() });
    } else if ((key & 7) === 2) {
      const length = readVarint();
      if (at + length > bytes.byteLength) throw new Error('a frame ends within a field');
      fields.push({ id, value: bytes.subarray(at, at + length) });
      at += length;
    } else {
      throw new Error(`a frame has a field of wire type ${key & 7}`);
    }
  }
  return fields;
}

function numberOf(fields: Field[], id: number): number {
  const value = fields.find((candidate) => candidate.id === id)?.value;
  if (typeof value !== 'number') throw new Error(`a frame lacks its field ${id}`);
  return value;
}

function textOf(fields: Field[], id: number): string {
  const value = fields.find((candidate) => candidate.id === id)?.value;
  if (!Buffer.isBuffer(value)) throw new Error(`a header lacks its field ${id}`);
  return value.toString('utf8');
}

function field(id: number, bytes: Buffer): Buffer {
  return Buffer.concat([tag(id, 2), varint(bytes.byteLength), bytes]);
}

function tag(id: number, wireType: number): Buffer {
  return varint((id << 3) | wireType);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Buffer.from(bytes);
}
