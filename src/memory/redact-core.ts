// A text in core memory, in the facts of other scopes and in the history of both. A fact that holds it is deleted, and so is its line in the history.
import type { Locks } from '../storage/locks.ts';
import { holdsIn, type RedactedPlace, type Redaction, type RedactionMode } from '../storage/redaction.ts';
import type { OwnerFiles } from '../storage/storage.ts';
import { CORE_FILES, CORE_HISTORY, CORE_LOCK, OWNERS_FILE } from './core-memory.ts';

export async function redactCoreMemory(
  redaction: Redaction,
  mode: RedactionMode,
  { files, locks }: { files: OwnerFiles; locks: Locks },
): Promise<RedactedPlace[]> {
  const lock = await locks.acquire(CORE_LOCK);
  try {
    const places: RedactedPlace[] = [];
    for (const name of CORE_FILES) {
      const text = await files.read(name);
      if (text === undefined) continue;
      const { count, rest } = withoutFacts(text, redaction, name === OWNERS_FILE ? 1 : 2);
      if (count === 0) continue;
      places.push({ place: 'core memory', name, count });
      if (mode === 'remove') await files.update(name, () => rest, lock);
    }
    const history = (await files.read(CORE_HISTORY)) ?? '';
    const lines = history.split('\n');
    const kept = lines.filter((line) => !redaction.holds(plainLine(line)));
    if (kept.length < lines.length) {
      places.push({ place: 'history of core memory', name: CORE_HISTORY, count: lines.length - kept.length });
      if (mode === 'remove') await files.update(CORE_HISTORY, () => kept.join('\n') || null, lock);
    }
    return places;
  } finally {
    await lock.release();
  }
}

/** Facts are `levels` below the top: scopes and sections stay, whatever their names. A damaged file, which a person has to repair, is redacted as the text it is. */
function withoutFacts(text: string, redaction: Redaction, levels: number): { count: number; rest: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { count: redaction.holds(text) ? 1 : 0, rest: redaction.replaced(text) };
  }
  let count = 0;
  const without = (given: unknown, above: number): unknown => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
    return Object.fromEntries(
      Object.entries(given).flatMap(([key, each]) => {
        const isFact = above === 0 || typeof each !== 'object' || each === null || Array.isArray(each);
        if (!isFact) return [[key, without(each, above - 1)]];
        if (!redaction.holds(key) && !holdsIn(each, redaction)) return [[key, each]];
        count += 1;
        return [];
      }),
    );
  };
  const rest = without(value, levels);
  return { count, rest: `${JSON.stringify(rest, undefined, 2)}\n` };
}

/** The fact as it was written: JSON writes quotes otherwise. */
function plainLine(line: string): string {
  try {
    const { key, previous, value } = JSON.parse(line) as Record<string, unknown>;
    return [key, previous, value].join('\n');
  } catch {
    return line;
  }
}
