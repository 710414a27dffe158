// A text in core memory, in the facts of other scopes and in the history of both. A fact that holds it is deleted, and so is its line in the history.
import type { Locks } from '../storage/locks.ts';
import { holdsIn, type RedactedPlace, type Redaction, type RedactionMode, replacedIn } from '../storage/redaction.ts';
import type { OwnerFiles } from '../storage/storage.ts';
import { CORE_FILES, CORE_HISTORY, CORE_LOCK } from './core-memory.ts';

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
      const { count, rest } = withoutFacts(text, redaction);
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

/** A damaged file, which a person has to repair, is redacted as the text it is. */
function withoutFacts(text: string, redaction: Redaction): { count: number; rest: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { count: redaction.holds(text) ? 1 : 0, rest: redaction.replaced(text) };
  }
  let count = 0;
  const without = (given: unknown): unknown => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return replacedIn(given, redaction);
    return Object.fromEntries(
      Object.entries(given).flatMap(([key, each]) => {
        const isFact = typeof each !== 'object' || each === null || Array.isArray(each);
        if (redaction.holds(key) || (isFact && holdsIn(each, redaction))) {
          count += 1;
          return [];
        }
        return [[key, without(each)]];
      }),
    );
  };
  const rest = without(value);
  return { count, rest: `${JSON.stringify(rest, undefined, 2)}\n` };
}

/** Its values as they were written: JSON writes quotes otherwise. */
function plainLine(line: string): string {
  try {
    return Object.values(JSON.parse(line) as object).join('\n');
  } catch {
    return line;
  }
}
