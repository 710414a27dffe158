// Folders of conversations, as each person has sorted theirs: folders.json of the owner's files. A conversation is in one folder at most;
// removing a folder leaves its conversations.
import { randomBytes } from 'node:crypto';
import { newerVersion, type OwnerFiles } from '../../storage/storage.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';

export interface Folder {
  id: string;
  name: string;
  /** Keys of sessions. */
  sessions: string[];
}

export interface Folders {
  /** By name. */
  list(person: string): Promise<Folder[]>;
  create(person: string, name: string): Promise<Folder>;
  rename(person: string, id: string, name: string): Promise<Folder>;
  remove(person: string, id: string): Promise<void>;
  /** Puts a conversation into a folder, and out of the one it was in; undefined: into none. */
  assign(person: string, session: string, id: string | undefined): Promise<void>;
  /** A session was deleted. */
  forgetSession(session: string): Promise<void>;
}

const FILE = 'folders.json';
const VERSION = 1;
const MOST_FOLDERS = 200;
const LONGEST_NAME = 80;

type Stored = Record<string, Folder[]>;

export function createFolders(files: OwnerFiles): Folders {
  function parse(text: string | undefined): Stored {
    if (text === undefined) return {};
    let value: { version?: unknown; people?: unknown };
    try {
      value = JSON.parse(text);
    } catch {
      throw damaged();
    }
    const { version, people } = value ?? {};
    if (typeof version === 'number' && version > VERSION) throw newerVersion(files.location(FILE), version, VERSION);
    if (version !== VERSION || typeof people !== 'object' || people === null) throw damaged();
    return people as Stored;
  }

  async function update<T>(change: (people: Stored) => T): Promise<T> {
    const outcome: { value?: T } = {};
    await files.update(FILE, (text) => {
      const people = parse(text);
      outcome.value = change(people);
      const changed = `${JSON.stringify({ version: VERSION, people }, undefined, 2)}\n`;
      return changed === text || (text === undefined && Object.keys(people).length === 0) ? undefined : changed;
    });
    return outcome.value as T;
  }

  function ofPerson(people: Stored, person: string): Folder[] {
    people[person] ??= [];
    return people[person];
  }

  function existing(folders: readonly Folder[], id: string): Folder {
    const found = folders.find((each) => each.id === id);
    if (!found) throw new CodedError('FOLDER_UNKNOWN', `there is no folder "${id}"; folders.list lists them`);
    return found;
  }

  return {
    async list(person) {
      const folders = parse(await files.read(FILE))[person] ?? [];
      return folders.toSorted((one, other) => one.name.localeCompare(other.name));
    },
    create: async (person, given) =>
      update((people) => {
        const folders = ofPerson(people, person);
        if (folders.length >= MOST_FOLDERS)
          throw new CodedError('TOO_MANY_FOLDERS', `there are ${MOST_FOLDERS} folders: remove one first`);
        const folder = { id: randomBytes(5).toString('hex'), name: freeName(folders, given), sessions: [] };
        folders.push(folder);
        return folder;
      }),
    rename: async (person, id, given) =>
      update((people) => {
        const folders = ofPerson(people, person);
        const folder = existing(folders, id);
        folder.name = freeName(
          folders.filter((each) => each !== folder),
          given,
        );
        return folder;
      }),
    remove: async (person, id) =>
      update((people) => {
        const folders = ofPerson(people, person);
        const folder = existing(folders, id);
        people[person] = folders.filter((each) => each !== folder);
      }),
    assign: async (person, session, id) =>
      update((people) => {
        const folders = ofPerson(people, person);
        const target = id === undefined ? undefined : existing(folders, id);
        takeOut(folders, session);
        target?.sessions.push(session);
      }),
    async forgetSession(session) {
      if ((await files.read(FILE)) === undefined) return;
      await update((people) => {
        for (const folders of Object.values(people)) takeOut(folders, session);
      });
    },
  };
}

function takeOut(folders: readonly Folder[], session: string): void {
  for (const folder of folders) folder.sessions = folder.sessions.filter((each) => each !== session);
}

function freeName(others: readonly Folder[], given: string): string {
  const name = given.trim();
  if (name === '' || name.length > LONGEST_NAME || /\p{Cc}/u.test(name))
    throw new CodedError(
      'INVALID_NAME',
      `a name has 1 to ${LONGEST_NAME} characters, none of them a control character`,
    );
  if (others.some((each) => each.name.toLowerCase() === name.toLowerCase()))
    throw new CodedError('FOLDER_EXISTS', `there is a folder "${name}" already: choose another name`);
  return name;
}

function damaged(): CodedError {
  return new CodedError('FOLDERS_DAMAGED', `${FILE} in the home cannot be read: repair it, or move it away`);
}
