export const LONGEST_NOTE = 5_000_000;

export interface Note {
  content: string;
  source?: string;
  title?: string;
  /** ISO 8601; by default now. */
  date?: string;
  speaker?: string;
  session?: string;
  /** The id of what this replaces: it stays findable and links here. */
  supersedes?: string;
  /** What makes it the same note when it is saved again; by default its text. */
  identity?: string;
}

export interface Saved {
  id: string;
  /** False when the same text of the same source was there already. */
  added: boolean;
  chunks: number;
}
