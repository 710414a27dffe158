// Conversations between two storages. A transcript is only ever continued, so what the target has must be the beginning of what the
// source has: then the other lines are added. Damaged lines, which no reader can use, are left out and counted.
import { createHash } from 'node:crypto';
import type { TranscriptLine, Transcripts } from '../storage.ts';
import { type CopiedKind, createComparison, type KindOptions } from './copied-kind.ts';

const LINES_AT_ONCE = 200;

export interface CopiedTranscripts extends CopiedKind {
  /** Damaged lines that the last comparison left out. */
  damagedLines(): number;
}

export function copiedTranscripts(source: Transcripts, target: Transcripts): CopiedTranscripts {
  let damaged = 0;

  async function* linesOf(transcripts: Transcripts, sessionId: string): AsyncGenerator<string> {
    for await (const scanned of transcripts.scan(sessionId)) {
      if ('line' in scanned) yield JSON.stringify(scanned.line);
      else if (transcripts === source) damaged += 1;
    }
  }

  async function compareOne(sessionId: string, isThere: boolean) {
    const [ours, theirs] = [startHash(sessionId), startHash(sessionId)];
    const inTarget = isThere ? linesOf(target, sessionId) : undefined;
    let [common, isSame] = [0, true];
    let next = await inTarget?.next();
    for await (const line of linesOf(source, sessionId)) {
      ours.update(`${line}\n`);
      if (next === undefined || next.done) continue;
      theirs.update(`${next.value}\n`);
      isSame &&= next.value === line;
      common += 1;
      next = await inTarget?.next();
    }
    const hasMore = next !== undefined && !next.done;
    await inTarget?.return(undefined);
    return { digest: ours.digest(), targetDigest: theirs.digest(), common, isSame: isSame && !hasMore };
  }

  /** False when there was nothing to add, or when it differs. */
  async function copyOne(sessionId: string, isThere: boolean): Promise<boolean> {
    const { digest, targetDigest, common, isSame } = await compareOne(sessionId, isThere);
    if (!isSame || (isThere && digest.equals(targetDigest))) return false;
    const transcript = await target.open(sessionId);
    try {
      let skipped = 0;
      let waiting: TranscriptLine[] = [];
      for await (const line of linesOf(source, sessionId)) {
        if (skipped < common) {
          skipped += 1;
          continue;
        }
        waiting.push(JSON.parse(line) as TranscriptLine);
        if (waiting.length < LINES_AT_ONCE) continue;
        await transcript.append(waiting);
        waiting = [];
      }
      await transcript.append(waiting);
      await transcript.sync();
      return true;
    } finally {
      await transcript.close();
    }
  }

  return {
    kind: 'conversations',
    damagedLines: () => damaged,
    count: async () => (await source.list()).length,
    async compare({ signal, onRecords }: KindOptions) {
      damaged = 0;
      const comparison = createComparison('conversations');
      const there = new Set(await target.list());
      for (const sessionId of await source.list()) {
        signal.throwIfAborted();
        const isThere = there.has(sessionId);
        const { digest, targetDigest, isSame } = await compareOne(sessionId, isThere);
        // A beginning can be continued: it is missing, not different.
        const isWhole = isThere && digest.equals(targetDigest);
        if (isSame) comparison.add(sessionId, digest, isWhole ? targetDigest : undefined);
        else comparison.addDiffering(sessionId, digest);
        onRecords(1);
      }
      return comparison.end();
    },
    async copy({ signal, onRecords }: KindOptions) {
      let copied = 0;
      const there = new Set(await target.list());
      for (const sessionId of await source.list()) {
        signal.throwIfAborted();
        if (await copyOne(sessionId, there.has(sessionId))) copied += 1;
        onRecords(1);
      }
      return copied;
    },
  };
}

function startHash(sessionId: string) {
  return createHash('sha256').update(`${JSON.stringify(sessionId)}\n`);
}
