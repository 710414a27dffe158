// A command that is killed, and how to tell afterwards that nothing went wrong.
import { cpSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Home, parseLines } from '../support/home.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { structureProblems } from '../support/transcript-rules.ts';

export interface Scenario {
  name: string;
  /** Set by `setUp` where they depend on it. */
  args: string[];
  env?: Record<string, string>;
  /** Keys for a command in a terminal: each is typed once the words before it are seen. */
  keys?: readonly { after: string; type: string }[];
  /** The home before the command. */
  setUp(home: Home): Promise<void>;
  tearDown?(): Promise<void>;
  /**
   * What is wrong after the kill, once other commands have run. `isShown`: the person had seen the result. Whatever it runs must
   * leave the command done.
   */
  problems(home: Home, isShown: boolean, cause?: 'power cut' | 'full disk'): Promise<string[]>;
}

/** A command that must work. */
export async function run(home: Home, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await lainclaw(args, { home, timeoutMs: 120_000 });
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr.slice(0, 500)}`);
  return stdout;
}

/** Problems that no kill may leave, whatever was killed. */
export function generalProblems(home: Home): string[] {
  const problems: string[] = [];
  for (const name of readdirSync(home.path, { recursive: true, encoding: 'utf8' })) {
    const path = join(home.path, name);
    // What a killed restore had unpacked beside the home is not part of it.
    if (name.startsWith('.restore') || !existsSync(path) || !lstatSync(path).isFile()) continue;
    try {
      if (name.endsWith('.db')) problems.push(...databaseProblems(path));
      // `audit verify` looks after it.
      else if (name === 'audit-head.json') continue;
      else if (name.endsWith('.json')) JSON.parse(readFileSync(path, 'utf8'));
      else if (/^sessions\/[^/]+\.jsonl$/.test(name)) problems.push(...transcriptProblems(path));
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
    }
  }
  return problems;
}

function databaseProblems(path: string): string[] {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    const [found] = Object.values(database.prepare('PRAGMA integrity_check(1)').get() ?? {});
    return found === 'ok' ? [] : [`${path}: ${String(found)}`];
  } finally {
    database.close();
  }
}

/** The last turn may be open, its last line torn: the next turn of that session repairs it. */
function transcriptProblems(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole === '') return [];
  return structureProblems(parseLines(whole), { lastMayBeOpen: true }).map((problem) => `${path}: ${problem}`);
}

/** Every file of the workspace with its content. */
export function tree({ workspace }: Home): string {
  const names = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.filter((name) => lstatSync(join(workspace, name)).isFile());
  return JSON.stringify(files.map((name) => [name, readFileSync(join(workspace, name), 'utf8')]));
}

/** Whether any file of the home holds the word. */
export function holds(home: Home, word: string): boolean {
  return readdirSync(home.path, { recursive: true, encoding: 'utf8' }).some((name) => {
    const path = join(home.path, name);
    return lstatSync(path).isFile() && readFileSync(path).includes(word);
  });
}

/** What a killed command had started may still be leaving. */
const GONE = { recursive: true, force: true, maxRetries: 50, retryDelay: 100 };

export interface Saved {
  /** Brings home and workspace back to what they were. */
  restore(): void;
}

export function save(home: Home, name: string): Saved {
  const aside = join(home.base, `saved-${name}`);
  for (const each of ['home', 'workspace'])
    if (existsSync(join(home.base, each))) cpSync(join(home.base, each), join(aside, each), { recursive: true });
  return {
    restore() {
      for (const each of ['home', 'workspace']) {
        rmSync(join(home.base, each), GONE);
        if (existsSync(join(aside, each))) cpSync(join(aside, each), join(home.base, each), { recursive: true });
      }
      for (const extra of readdirSync(home.base))
        if (!['home', 'workspace'].includes(extra) && !extra.startsWith('saved-')) rmSync(join(home.base, extra), GONE);
    },
  };
}
