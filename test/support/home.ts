// An empty home for one test: a directory of its own, with a workspace beside it and readers for what is on its disk.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SessionLine, SessionMessage } from '../../src/sessions/lines.ts';
import type { SessionEntry } from '../../src/storage/storage.ts';

export interface SessionsIndex {
  version: number;
  sessions: Record<string, SessionEntry>;
}

export interface Home {
  /** Holds everything; removed by `remove`. */
  readonly base: string;
  /** LAINCLAW_HOME. Does not exist before Lainclaw makes it. */
  readonly path: string;
  /** An empty directory to run in. */
  readonly workspace: string;
  /** Whether anything was written to the home. */
  exists(): boolean;
  config(settings: unknown): void;
  /** Writes a file of the workspace, parents included; returns its absolute path. */
  file(path: string, content: string | Buffer): string;
  index(): SessionsIndex;
  entry(sessionKey?: string): SessionEntry;
  transcriptPath(sessionKey?: string): string;
  /** Every line of the key's current transcript; throws on one that is not JSON. */
  lines(sessionKey?: string): SessionLine[];
  messages(sessionKey?: string): SessionMessage[];
  /** Names of the transcripts, of every key and also of sessions that are no longer current. */
  transcripts(): string[];
  remove(): void;
}

/** The caller removes it: `testHome` of test-home.ts does so by itself. `at`: where else the same home can be seen. */
export function createHome({ at }: { at?: string } = {}): Home {
  const base = at ?? realpathSync(mkdtempSync(join(tmpdir(), 'lainclaw-test-')));
  const path = join(base, 'home');
  const workspace = join(base, 'workspace');
  const sessions = join(path, 'sessions');
  if (at === undefined) mkdirSync(workspace);

  const home: Home = {
    base,
    path,
    workspace,
    exists: () => existsSync(path),
    config(settings) {
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'config.json'), typeof settings === 'string' ? settings : JSON.stringify(settings));
    },
    file(name, content) {
      const target = join(workspace, name);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
      return target;
    },
    index: () => JSON.parse(readFileSync(join(sessions, 'sessions.json'), 'utf8')) as SessionsIndex,
    entry(sessionKey = 'main') {
      const entries = new Map(Object.entries(home.index().sessions));
      const entry = entries.get(sessionKey);
      if (!entry) throw new Error(`the index has no session "${sessionKey}", only ${[...entries.keys()].join(', ')}`);
      return entry;
    },
    transcriptPath: (sessionKey) => join(sessions, `${home.entry(sessionKey).sessionId}.jsonl`),
    lines: (sessionKey) => parseLines(readFileSync(home.transcriptPath(sessionKey), 'utf8')),
    messages: (sessionKey) => home.lines(sessionKey).flatMap((line) => (line.type === 'message' ? [line.message] : [])),
    transcripts: () => (existsSync(sessions) ? readdirSync(sessions).filter((name) => name.endsWith('.jsonl')) : []),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
  return home;
}

export function parseLines(text: string): SessionLine[] {
  if (!text.endsWith('\n')) throw new Error(`the transcript does not end with a newline: ${text.slice(-100)}`);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as SessionLine);
}
