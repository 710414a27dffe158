/** The outcome of importing a folder, in numbers and paths of files. */
export interface ImportReport {
  files: number;
  added: number;
  changed: number;
  unchanged: number;
  /** Number of new files whose text was known under a path that is gone. */
  moved: number;
  /** Paths of files that no longer exist; their documents stay. */
  gone: string[];
  /** Number of missing files whose documents were forgotten. */
  forgotten: number;
  chunks: number;
  skipped: { path: string; reason: string }[];
}

export interface ImportOptions {
  /** Forget the documents of files that no longer exist. */
  forgetGone?: boolean;
  signal?: AbortSignal;
  onFile?: (path: string) => void;
}
