// The record of an added model: its origin and the checksum of every file.

import type { Pooling } from '../embeddings/pool.ts';

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
  /** "unknown" where the graph gives one vector a text by itself. Missing in records of earlier versions. */
  pooling?: Pooling | 'unknown';
  /** Written before each text; those of its files otherwise. */
  prompts?: { query: string; passage: string };
  files: { path: string; bytes: number; sha256: string }[];
}
