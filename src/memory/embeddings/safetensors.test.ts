import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTensors } from './safetensors.ts';

function file(header: unknown, numbers: Uint8Array = new Uint8Array()): Uint8Array {
  const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, numbers]);
}

describe('reading .safetensors', () => {
  it('gives every tensor with its shape, of any supported type', () => {
    const numbers = Buffer.alloc(4 + 2 + 1 + 8 + 8 + 4);
    numbers.writeFloatLE(1.5, 0);
    numbers.writeUInt16LE(0xc100, 4); // -2.5 as a half float
    numbers.writeInt8(-3, 6);
    numbers.writeBigInt64LE(7n, 7);
    numbers.writeDoubleLE(0.25, 15);
    numbers.writeInt32LE(-9, 23);
    const tensor = (dtype: string, from: number, to: number) => ({ dtype, shape: [1], data_offsets: [from, to] });
    const read = readTensors(
      file(
        {
          __metadata__: { format: 'np' },
          a: tensor('F32', 0, 4),
          b: tensor('F16', 4, 6),
          c: tensor('I8', 6, 7),
          d: tensor('I64', 7, 15),
          e: tensor('F64', 15, 23),
          f: tensor('I32', 23, 27),
        },
        numbers,
      ),
    );
    expect([...read].map(([name, { values }]) => [name, ...values])).toEqual([
      ['a', 1.5],
      ['b', -2.5],
      ['c', -3],
      ['d', 7],
      ['e', 0.25],
      ['f', -9],
    ]);
  });

  it.each([
    ['nothing', new Uint8Array(), 'too short'],
    ['a header longer than the file', Buffer.from('ffffffffffffffff', 'hex'), 'longer than the file'],
    ['a header that is not JSON', file('{'), 'not a JSON object'],
    ['an unknown type', file({ a: { dtype: 'Q4', shape: [1], data_offsets: [0, 1] } }), 'type Q4'],
    ['no shape', file({ a: { dtype: 'F32' } }), 'without shape'],
    ['numbers cut off', file({ a: { dtype: 'F32', shape: [2], data_offsets: [0, 8] } }, Buffer.alloc(4)), 'cut off'],
    ['a shape that lies', file({ a: { dtype: 'F32', shape: [9], data_offsets: [0, 8] } }, Buffer.alloc(8)), 'cut off'],
  ])('refuses %s', (_name, bytes, said) => {
    expect(() => readTensors(bytes)).toThrow(said);
  });

  it('never reads beyond any bytes it is given', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          readTensors(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect(error).not.toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});
