// The record of an added model: its origin and the checksum of every file.

export const MANIFEST_FILE = 'model.json';
export const MANIFEST_VERSION = 1;

export interface ModelManifest {
  version: number;
  name: string;
  /** A folder or an address, without parts that may be secret. */
  from: string;
  addedAt: string;
  dimension: number;
  /** The graph, one of `files`. */
  file: string;
  files: { path: string; bytes: number; sha256: string }[];
}
