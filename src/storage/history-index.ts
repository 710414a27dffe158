// The contract of the index of past conversations: the messages of transcripts as documents of an archive of their own, and how far each
// transcript was read. Everything in it is in the transcripts: it may be lost at any time, and is made again.
import type { SharedArchive } from './shared-archive.ts';

/** How far the transcript of a session was read. */
export interface IndexedSession {
  sessionId: string;
  /** Of the transcript when it was read. */
  revision: string;
  /** False while some of it is still to be read. */
  isWhole: boolean;
  /** How many ends of turns were read. */
  turnEnds: number;
  /** Its messages are not in the index: another session took its place, or nobody continues it. */
  isLeftOut: boolean;
}

/** What the index and the transcripts say about each other. */
export interface ComparedIndex {
  /** Sessions that were never read, or not as they are now. The newest first. */
  stale: string[];
  /** Sessions that were read, and whose transcripts are gone. */
  gone: string[];
  /** Transcripts. */
  total: number;
}

export interface HistoryIndex {
  archive: SharedArchive;
  /** True when nothing was ever put into it. Looking makes no file. */
  isUnused(): boolean;
  get(sessionId: string): Promise<IndexedSession | undefined>;
  sessions(): Promise<Map<string, IndexedSession>>;
  /** Only where the transcripts are in the same database, which then compares them itself: asking for each of a million sessions takes too long. */
  compare?(): Promise<ComparedIndex>;
  put(session: IndexedSession): Promise<void>;
  /** Nothing was read of this session. Its documents stay in the archive: remove them first. */
  remove(sessionId: string): Promise<void>;
}
