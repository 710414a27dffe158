// The contract of files that belong to a conversation and that the next turn may need on another machine: whole outputs of tools, pictures, files that
// people sent, and uploads that wait for their turn. A file has a scope (the id of its session, or UPLOADS) and a name.
import type { RedactedPlace, Redaction, RedactionMode } from './redaction.ts';

/** The scope of files that were uploaded and wait for the turn they are for. */
export const UPLOADS = 'uploads';

export interface StoredBlob {
  name: string;
  bytes: number;
  /** Milliseconds since 1970. */
  storedAt: number;
  /** This machine stored it. */
  isOwn: boolean;
}

export interface Blobs {
  /** True where gateways on other machines read the same files. */
  readonly isShared: boolean;
  /** Resolves once it is durable; the same name again replaces the file. `name` may have folders (`inbox/2026-12-01/photo.png`). */
  put(scope: string, name: string, content: Uint8Array): Promise<void>;
  /** Undefined when there is none. Rejects with STORAGE_ELSEWHERE when only another machine has it; never resolves with changed or missing bytes. */
  get(scope: string, name: string): Promise<Buffer | undefined>;
  /** The names in the order of their bytes. */
  list(scope: string): Promise<StoredBlob[]>;
  /** Removes one file, or all of the scope; durable when it resolves. */
  remove(scope: string, name?: string): Promise<void>;
  /** Finds or removes every file of a session that holds the text. */
  redact(redaction: Redaction, mode: RedactionMode): Promise<RedactedPlace[]>;
}
