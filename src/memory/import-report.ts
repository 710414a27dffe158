/** What became of each file of an imported folder. */
export interface ImportReport {
  files: number;
  added: number;
  changed: number;
  unchanged: number;
  /** Of those that are new: the same text was there under a path that is gone. */
  moved: number;
  /** Paths of files that are no longer there; what they held is still remembered. */
  gone: string[];
  /** How many files that are no longer there were forgotten. */
  forgotten: number;
  chunks: number;
  skipped: { path: string; reason: string }[];
}

export interface ImportOptions {
  /** What was imported from files that are gone since. */
  forgetGone?: boolean;
  signal?: AbortSignal;
  onFile?: (path: string) => void;
}
