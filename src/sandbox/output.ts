// Bounded capture of two streams: each alone, and both in order of arrival. Only the first and the last bytes of each stay
// in memory, so memory does not grow with the output. As soon as bytes would be lost, the whole output goes to a file.
// Ends at `maxBytes`: later chunks are dropped and `isFull` tells the runner to end the command.
import type { Captured, OutputBounds, OutputStream, Spool } from './sandbox.ts';
import { createSpool } from './spool.ts';
import { completeLength, skippedLength } from './utf8-cut.ts';

export interface Output {
  readonly isFull: boolean;
  /** The chunk may be reused once this resolves, or at once when nothing is returned. */
  add(stream: OutputStream, chunk: Buffer): Promise<void> | undefined;
  finish(): Promise<{ stdout: Captured; stderr: Captured; interleaved: Captured; spool?: Spool }>;
}

export function createOutput(bounds: OutputBounds): Output {
  const streams = { stdout: createHeadAndTail(bounds), stderr: createHeadAndTail(bounds) };
  const interleaved = createHeadAndTail(bounds);
  const spool = bounds.spoolPath === undefined ? undefined : createSpool(bounds.spoolPath);
  // The first bytes of an incomplete character: output of the other stream must not split it.
  const begun: Record<OutputStream, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  let total = 0;
  let isFull = false;

  function append(bytes: Buffer): Promise<void> | undefined {
    if (bytes.length === 0) return undefined;
    const before = spool && !interleaved.isCut && interleaved.wouldCut(bytes.length) ? interleaved.kept() : undefined;
    interleaved.add(bytes);
    if (!spool || !interleaved.isCut) return undefined;
    return spool.write(before ? Buffer.concat([before, bytes]) : bytes);
  }

  return {
    get isFull() {
      return isFull;
    },

    add(stream, chunk) {
      const room = bounds.maxBytes - total;
      const taken = chunk.length > room ? chunk.subarray(0, room) : chunk;
      if (chunk.length > room) isFull = true;
      if (taken.length === 0) return undefined;
      total += taken.length;
      streams[stream].add(taken);
      const bytes = begun[stream].length > 0 ? Buffer.concat([begun[stream], taken]) : taken;
      const complete = completeLength(bytes);
      begun[stream] = Buffer.from(bytes.subarray(complete));
      return append(bytes.subarray(0, complete));
    },

    async finish() {
      await append(begun.stdout);
      await append(begun.stderr);
      return {
        stdout: streams.stdout.captured(),
        stderr: streams.stderr.captured(),
        interleaved: interleaved.captured(),
        spool: await spool?.close(),
      };
    },
  };
}

/** Keeps the first and the last bytes; the last ones in a ring that is made only when it is needed. */
function createHeadAndTail({ headBytes, tailBytes }: OutputBounds) {
  let head: Buffer = Buffer.alloc(0);
  let headLength = 0;
  let ring: Buffer | undefined;
  let bytes = 0;

  function addToHead(chunk: Buffer): number {
    const length = Math.min(chunk.length, headBytes - headLength);
    if (length === 0) return 0;
    if (headLength + length > head.length) {
      const larger = Buffer.alloc(Math.min(headBytes, Math.max(4096, (headLength + length) * 2)));
      head.copy(larger, 0, 0, headLength);
      head = larger;
    }
    chunk.copy(head, headLength, 0, length);
    headLength += length;
    return length;
  }

  function addToTail(chunk: Buffer): void {
    if (chunk.length === 0 || tailBytes === 0) return;
    ring ??= Buffer.alloc(tailBytes);
    const last = chunk.subarray(Math.max(0, chunk.length - tailBytes));
    const at = (bytes + chunk.length - last.length - headBytes) % tailBytes;
    const first = Math.min(last.length, tailBytes - at);
    last.copy(ring, at, 0, first);
    last.copy(ring, 0, first);
  }

  function tail(): Buffer {
    const length = Math.min(bytes - headLength, tailBytes);
    if (!ring || length === 0) return Buffer.alloc(0);
    const end = (bytes - headBytes) % tailBytes;
    if (length < tailBytes) return ring.subarray(0, length);
    return Buffer.concat([ring.subarray(end), ring.subarray(0, end)]);
  }

  return {
    get isCut() {
      return bytes > headBytes + tailBytes;
    },

    wouldCut: (length: number): boolean => bytes + length > headBytes + tailBytes,

    add(chunk: Buffer): void {
      const taken = addToHead(chunk);
      bytes += taken;
      const rest = chunk.subarray(taken);
      addToTail(rest);
      bytes += rest.length;
    },

    kept: (): Buffer => Buffer.concat([head.subarray(0, headLength), tail()]),

    captured(): Captured {
      const beginning = head.subarray(0, headLength);
      const ending = tail();
      if (!this.isCut) return { text: Buffer.concat([beginning, ending]).toString('utf8'), bytes, cut: false };
      const before = beginning.subarray(0, completeLength(beginning));
      const after = ending.subarray(skippedLength(ending));
      const left = bytes - before.length - after.length;
      return { text: `${before}\n[… ${left} bytes cut …]\n${after}`, bytes, cut: true };
    },
  };
}
