// Damaged homes: one file of a home that has every kind of file is damaged as a disk does it. `doctor` must name it, `doctor --fix` must repair
// it or say what it left, and afterwards every command works.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { checkHome } from '../../src/storage/local/check/check-home.ts';
import { DAMAGE, damageableFiles, fillHome, replaceOnDisk } from '../support/damage.ts';
import { createHome, type Home } from '../support/home.ts';
import { lainclaw } from '../support/lainclaw.ts';

const { signal } = new AbortController();
const SWAP = 'exchange with another file';
/** A newer version is refused by every command, as it should be. */
const KINDS = [...Object.keys(DAMAGE).filter((kind) => kind !== 'a newer version'), SWAP];

/** What a person does next; each must work in a home that was repaired. */
const COMMANDS: readonly string[][] = [
  ['ask', 'and now?'],
  ['ask', '--session', 'roses', 'and the roses?'],
  ['sessions', 'list'],
  ['sessions', 'show', 'tulips'],
  ['memory', 'save', 'The oaks are older.'],
  ['memory', 'search', 'bridge'],
  ['schedule', 'list'],
  ['undo', '--list'],
  ['config', 'list'],
  ['permissions', 'list'],
  ['trust', 'list'],
];

export async function damageHomes(times: number, random: () => number): Promise<{ line: string; problems: string[] }> {
  const home = createHome();
  const sound = join(home.base, 'sound');
  const pick = (below: number): number => Math.floor(random() * below);
  const problems: string[] = [];
  let damages = 0;
  try {
    await fillHome(home);
    // With its exact times.
    execFileSync('cp', ['-a', home.path, sound]);
    const files = damageableFiles(home);
    while (damages < times) {
      const path = files[damages % files.length] ?? '';
      const kind = KINDS[pick(KINDS.length)] ?? '';
      const touched = damage(home, { path, kind, files, pick });
      if (touched.length === 0) continue;
      damages += 1;
      problems.push(...(await problemsAfter(home, touched)).map((each) => `${kind} of ${touched.join(', ')}: ${each}`));
      rmSync(home.path, { recursive: true, force: true });
      execFileSync('cp', ['-a', sound, home.path]);
    }
    return { line: `${damages} damages of ${files.length} files`, problems };
  } finally {
    home.remove();
  }
}

interface Chosen {
  path: string;
  kind: string;
  files: readonly string[];
  pick(below: number): number;
}

/** The files that are not what they were. */
function damage(home: Home, { path, kind, files, pick }: Chosen): string[] {
  if (kind !== SWAP) {
    DAMAGE[kind]?.(join(home.path, path), pick);
    return [path];
  }
  const others = files.filter((other) => other !== path && extname(other) === extname(path));
  const other = others[pick(others.length)];
  if (other === undefined) return [];
  const [one, two] = [readFileSync(join(home.path, path)), readFileSync(join(home.path, other))];
  if (one.equals(two)) return [];
  replaceOnDisk(join(home.path, path), two);
  replaceOnDisk(join(home.path, other), one);
  return [path, other];
}

async function problemsAfter(home: Home, touched: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  const { findings } = await checkHome(home.path, signal);
  for (const path of touched)
    if (!findings.some((finding) => finding.path === path)) problems.push(`doctor does not name ${path}`);
  const fixed = await lainclaw(['doctor', '--fix'], { home });
  if (![0, 1].includes(fixed.code ?? -1) || fixed.stderr.includes('    at '))
    problems.push(`doctor --fix ended with ${fixed.code}: ${fixed.stderr.slice(0, 300)}`);
  for (const args of COMMANDS) {
    const { code, stderr } = await lainclaw(args, { home });
    if (code !== 0) problems.push(`then "${args.join(' ')}" ended with ${code}: ${stderr.slice(0, 300)}`);
  }
  return problems;
}
