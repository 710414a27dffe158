export const LONGEST_NOTE = 5_000_000;

export interface Note {
  content: string;
  source?: string;
  title?: string;
  /** ISO 8601; by default now. */
  date?: string;
  speaker?: string;
  session?: string;
  /** The id of the note that this one replaces: the old note stays findable and links here. */
  supersedes?: string;
  /** Identifies the note when it is saved again; by default its text. */
  identity?: string;
}

export interface Saved {
  id: string;
  /** False when the archive already had the same text of the same source. */
  added: boolean;
  chunks: number;
}

/** Tells texts apart in the archive. Loads node:crypto with the first save only: a search never needs it. */
export function hashOf(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text, 'base64url');
}
