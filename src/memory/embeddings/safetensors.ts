// Reads a .safetensors file: eight bytes with the length of a JSON header, the header (name → type, shape, offsets), then the
// numbers. All numbers are read as 32-bit floats. A file whose header and length disagree is refused.

export interface NamedTensor {
  shape: readonly number[];
  values: Float32Array;
}

export type Tensors = ReadonlyMap<string, NamedTensor>;

const LARGEST_HEADER = 10_000_000;

type ReadNumber = (view: DataView, at: number) => number;
const NUMBERS: Record<string, { bytes: number; read: ReadNumber }> = {
  F64: { bytes: 8, read: (view, at) => view.getFloat64(at, true) },
  F32: { bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  F16: { bytes: 2, read: (view, at) => halfFloat(view.getUint16(at, true)) },
  I8: { bytes: 1, read: (view, at) => view.getInt8(at) },
  I32: { bytes: 4, read: (view, at) => view.getInt32(at, true) },
  I64: { bytes: 8, read: (view, at) => Number(view.getBigInt64(at, true)) },
};

export function readTensors(bytes: Uint8Array): Tensors {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 8) throw new Error('the file is too short for .safetensors');
  const headerLength = Number(view.getBigUint64(0, true));
  const start = 8 + headerLength;
  if (headerLength > LARGEST_HEADER || start > bytes.length) throw new Error('its header is longer than the file');
  const header = parseHeader(bytes.subarray(8, start));
  return new Map(
    Object.entries(header)
      .filter(([name]) => name !== '__metadata__')
      .map(([name, described]) => [name, readTensor(name, described, view, start)]),
  );
}

function parseHeader(bytes: Uint8Array): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof header === 'object' && header !== null) return header as Record<string, unknown>;
  } catch {
    // Invalid JSON is refused like any other header.
  }
  throw new Error('its header is not a JSON object');
}

function readTensor(name: string, described: unknown, view: DataView, start: number): NamedTensor {
  const { dtype, shape, data_offsets: offsets } = described as Record<string, unknown>;
  const number = NUMBERS[String(dtype)];
  if (!number) throw new Error(`"${name}" holds numbers of type ${String(dtype)}, which cannot be read`);
  if (!isListOfCounts(shape) || !isListOfCounts(offsets) || offsets.length !== 2)
    throw new Error(`its header describes "${name}" without shape and place`);
  const [from = 0, to = 0] = offsets;
  const count = shape.reduce((product, length) => product * length, 1);
  if (to - from !== count * number.bytes || start + to > view.byteLength)
    throw new Error(`"${name}" is cut off or larger than its shape`);
  const values = new Float32Array(count);
  for (let index = 0; index < count; index += 1) values[index] = number.read(view, start + from + index * number.bytes);
  return { shape, values };
}

function isListOfCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && each >= 0);
}

function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
