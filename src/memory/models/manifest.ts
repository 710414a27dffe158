// What is recorded of a model when it is added: where it came from and the sum of every file.

export const MANIFEST_FILE = 'model.json';
export const MANIFEST_VERSION = 1;

export interface ModelManifest {
  version: number;
  name: string;
  /** A folder or an address, without what may be secret in it. */
  from: string;
  addedAt: string;
  dimension: number;
  /** The graph, one of `files`. */
  file: string;
  files: { path: string; bytes: number; sha256: string }[];
}
