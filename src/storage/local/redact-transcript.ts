// A text in the lines of a transcript, replaced in place: the file is written again and takes the place of the old one at once.
import { readFile } from 'node:fs/promises';
import { storageError, writeAtomically } from '../private-files.ts';
import { redactTranscriptLine } from '../redact-transcript-line.ts';
import type { Redaction } from '../redaction.ts';
import type { TranscriptLine } from '../storage.ts';
import { withoutSum, withSum } from './line-sum.ts';

/** Returns the number of lines that held it; the file is left alone when there are none. */
export async function redactTranscript(path: string, redaction: Redaction, note: TranscriptLine): Promise<number> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw storageError(path, error);
  });
  if (text === undefined) return 0;
  let changed = 0;
  const lines = text.split('\n').map((line) => {
    const replaced = replacedLine(line, redaction);
    if (replaced === undefined) return line;
    changed += 1;
    return replaced;
  });
  if (changed === 0) return 0;
  const whole = lines.join('\n');
  await writeAtomically(
    path,
    `${whole}${whole.endsWith('\n') ? '' : '\n'}${withSum(JSON.stringify({ ...note, lines: changed }))}\n`,
  );
  return changed;
}

/** Undefined when the line does not hold it. */
function replacedLine(line: string, redaction: Redaction): string | undefined {
  const redacted = redactTranscriptLine(withoutSum(line), redaction);
  if (redacted === undefined) return undefined;
  return redacted.isDamaged ? redacted.text : withSum(redacted.text);
}
