// A line of a transcript as text, whatever keeps it.
import { newerVersion, TRANSCRIPT_VERSION, type TranscriptLine } from './storage.ts';

/** Undefined for what is not a line. */
export function parseTranscriptLine(json: string): TranscriptLine | undefined {
  try {
    const value = JSON.parse(json) as unknown;
    const isLine = typeof value === 'object' && value !== null && typeof (value as TranscriptLine).type === 'string';
    return isLine ? (value as TranscriptLine) : undefined;
  } catch {
    return undefined;
  }
}

/** Throws STORAGE_NEWER_VERSION. The first line names the version. */
export function checkTranscriptVersion(firstLine: TranscriptLine | undefined, place: string): void {
  if (firstLine?.type !== 'session' || typeof firstLine.version !== 'number') return;
  if (firstLine.version > TRANSCRIPT_VERSION) throw newerVersion(place, firstLine.version, TRANSCRIPT_VERSION);
}
