import type { Redaction } from './redaction.ts';
import { transcriptWords } from './transcript-words.ts';
import { redactedWords } from './words.ts';

export interface RedactedLine {
  text: string;
  /** It was not JSON, and was searched as it is. */
  isDamaged: boolean;
}

/** The line without the text; undefined when the line does not hold it. */
export function redactTranscriptLine(json: string, redaction: Redaction): RedactedLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return redaction.holds(json) ? { text: redaction.replaced(json), isDamaged: true } : undefined;
  }
  const { holds, replaced } = redactedWords(value, transcriptWords, redaction);
  return holds ? { text: JSON.stringify(replaced), isDamaged: false } : undefined;
}
