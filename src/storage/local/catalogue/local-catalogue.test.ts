// Rebuilding the index from the transcripts. What a whole index does is in the conformance suite.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLocks } from '../locks.ts';
import { createTranscripts } from '../transcripts.ts';
import { createCatalogue, type LocalCatalogue } from './local-catalogue.ts';

let base: string;
let directory: string;
let rebuilt: string[];
const opened: LocalCatalogue[] = [];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lainclaw-catalogue-'));
  directory = join(base, 'sessions');
  rebuilt = [];
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  rmSync(base, { recursive: true, force: true });
});

function catalogue(now = 42, readBoot = () => 'one start'): LocalCatalogue {
  const made = createCatalogue({
    directory,
    locks: createLocks(join(base, 'locks')),
    transcripts: createTranscripts(directory),
    now: () => now,
    readBoot,
    onRebuild: (aside) => rebuilt.push(aside),
  });
  opened.push(made);
  return made;
}

const at = (minute: number): string => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;

/** A transcript as turns leave it: its session's line, then one turn for each state. */
function transcript(sessionId: string, sessionKey: string, createdAt: string, ...states: object[]): void {
  mkdirSync(directory, { recursive: true });
  const turns = states.flatMap((entry, index) => [
    { type: 'turn-start', turnId: `turn-${index}`, timestamp: at(index), entry },
    { type: 'turn-end', turnId: `turn-${index}`, timestamp: at(index), outcome: 'answered', messageCount: 0 },
  ]);
  const lines = [{ type: 'session', version: 1, sessionKey, sessionId, createdAt }, ...turns];
  writeFileSync(join(directory, `${sessionId}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

describe('a missing index is rebuilt', () => {
  it('with the state of each session after its newest turn', async () => {
    transcript(
      's-1',
      'main',
      at(1),
      { updatedAt: at(2), provider: 'stub', memoryEnabled: true },
      { updatedAt: at(3), provider: 'openai', profileId: 'p' },
    );
    transcript('s-2', '__proto__', at(4));
    const entries = await catalogue().list();
    expect(entries.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1))).toEqual([
      {
        sessionKey: 'main',
        sessionId: 's-1',
        createdAt: at(1),
        updatedAt: at(3),
        provider: 'openai',
        profileId: 'p',
        memoryEnabled: true,
      },
      { sessionKey: '__proto__', sessionId: 's-2', createdAt: at(4), updatedAt: at(4) },
    ]);
    expect(rebuilt).toEqual([]);
    expect(readdirSync(directory)).toContain('sessions.json');
  });

  it('with the later of two sessions of one key', async () => {
    transcript('s-2', 'main', at(5), { updatedAt: at(6) });
    transcript('s-1', 'main', at(1), { updatedAt: at(2) });
    expect(await catalogue().get('main')).toMatchObject({ sessionId: 's-2' });
  });

  it('with the session whose turn came last, not with one that was begun later and never had a turn acknowledged', async () => {
    transcript('s-1', 'main', at(1), { updatedAt: at(2) }, { updatedAt: at(9) });
    transcript('s-2', 'main', at(5));
    expect(await catalogue().get('main')).toMatchObject({ sessionId: 's-1' });
  });

  it('passing over files that are not transcripts', async () => {
    transcript('s-1', 'main', at(1));
    writeFileSync(join(directory, 'notes.txt'), 'mine');
    writeFileSync(join(directory, 'bad name.jsonl'), '{"type":"session","sessionKey":"x","createdAt":"y"}\n');
    writeFileSync(join(directory, 'damaged.jsonl'), '{"type":"sess\n');
    writeFileSync(join(directory, 'empty.jsonl'), '');
    expect((await catalogue().list()).map(({ sessionKey }) => sessionKey)).toEqual(['main']);
  });

  it('without a file being made where there is no session', async () => {
    expect(await catalogue().list()).toEqual([]);
    expect(readdirSync(base)).not.toContain('sessions');
  });
});

describe('a damaged index', () => {
  const damages = [
    '',
    '{',
    '[]',
    'null',
    '7',
    '{"version":1}',
    '{"version":1,"sessions":null}',
    '{"version":1,"sessions":[]}',
    '{"version":0,"sessions":{}}',
    '{"sessions":{}}',
  ];

  it.each(damages)('%j is kept aside and rebuilt', async (text) => {
    transcript('s-1', 'main', at(1));
    writeFileSync(join(directory, 'sessions.json'), text);
    expect(await catalogue().get('main')).toMatchObject({ sessionId: 's-1' });
    expect(rebuilt).toEqual([join(directory, 'sessions.json.damaged-42')]);
    expect(readFileSync(rebuilt[0] ?? '', 'utf8')).toBe(text);
    expect(JSON.parse(readFileSync(join(directory, 'sessions.json'), 'utf8'))).toMatchObject({
      version: 1,
      sessions: { main: { sessionId: 's-1' } },
    });
  });

  it('is rebuilt once by readers who find it at the same time', async () => {
    transcript('s-1', 'main', at(1));
    writeFileSync(join(directory, 'sessions.json'), '{');
    const found = await Promise.all(Array.from({ length: 5 }, (_, index) => catalogue(index).get('main')));
    expect(found.map((entry) => entry?.sessionId)).toEqual(Array.from({ length: 5 }, () => 's-1'));
    expect(rebuilt).toHaveLength(1);
  });

  it('is repaired by a writer without losing its entry or the others', async () => {
    transcript('s-1', 'main', at(1));
    writeFileSync(join(directory, 'sessions.json'), '{');
    await catalogue().put({ sessionKey: 'new', sessionId: 's-9', createdAt: at(1), updatedAt: at(1) });
    expect((await catalogue().list()).map(({ sessionId }) => sessionId).toSorted()).toEqual(['s-1', 's-9']);
  });
});

it('an index of a newer version is refused and not touched', async () => {
  transcript('s-1', 'main', at(1));
  const newer = '{"version":2,"sessions":{},"more":true}';
  writeFileSync(join(directory, 'sessions.json'), newer);
  const entry = { sessionKey: 'main', sessionId: 's-1', createdAt: at(1), updatedAt: at(1) };
  const uses = [() => catalogue().list(), () => catalogue().get('main'), () => catalogue().put(entry)];
  for (const use of uses) {
    await expect(use()).rejects.toMatchObject({ code: 'STORAGE_NEWER_VERSION' });
  }
  expect(readFileSync(join(directory, 'sessions.json'), 'utf8')).toBe(newer);
});

it('a file that a power cut has left with the size and time of the last write, and without its content, is written again', async () => {
  const entry = { sessionKey: 'main', sessionId: 's-1', createdAt: at(1), updatedAt: at(2) };
  await catalogue().put(entry);
  await opened.pop()?.close();
  const file = join(directory, 'sessions.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, `{"version":1,"sessions":{}}`.padEnd(text.length, '\0'));
  // What the database knows of the file is true of it.
  const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  const database = new DatabaseSync(join(directory, 'sessions.db'));
  const known = database.prepare('SELECT fingerprint FROM index_file').get()?.fingerprint;
  const [, , , , ...start] = String(known).split(' ');
  database.prepare('UPDATE index_file SET fingerprint = ?').run([ino, size, mtimeNs, ctimeNs, ...start].join(' '));
  database.close();

  expect(await catalogue(43, () => 'the next start').list()).toEqual([entry]);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ sessions: { main: entry } });
});
