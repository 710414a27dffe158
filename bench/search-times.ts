// How long searches take in a process that has searched before, in milliseconds, the shortest first.
import type { Memory } from '../src/memory/memory.ts';
import type { Notes } from './archive-notes.ts';

const BEFORE = 5;

export async function searchTimes(memory: Memory, notes: Notes, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = -BEFORE; index < count; index += 1) {
    const query = notes.query();
    const started = performance.now();
    const { results } = await memory.search(query);
    if (index >= 0) times.push(performance.now() - started);
    if (results.length === 0) throw new Error(`nothing was found of a note that is there: ${query}`);
  }
  return times.sort((a, b) => a - b);
}
