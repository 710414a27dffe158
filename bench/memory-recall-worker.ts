// A process that only recalls: node memory-recall-worker.ts <home> <seed> <count>. Prints how long each recall took, warm, in milliseconds of
// processor time and on the clock, and a search with the same words.
import { createNotes } from './archive-notes.ts';
import { openMemory } from './open-memory.ts';

const BEFORE = 20;
const [home = '', seed = '', count = ''] = process.argv.slice(2);
const notes = createNotes(Number(seed));
for (let made = 0; made < 1_000; made += 1) notes.note();
const { memory, close } = openMemory(home);
const times = { recall: [] as number[], search: [] as number[], clock: [] as number[] };
for (let index = -BEFORE; index < Number(count); index += 1) {
  const question = notes.query();
  const searched = await measure(() => memory.search(question));
  const recalled = await measure(() => memory.recall({ question }));
  if (index < 0) continue;
  times.search.push(searched.processor);
  times.recall.push(recalled.processor);
  times.clock.push(recalled.clock);
}
close();
console.log(JSON.stringify(times));

async function measure(work: () => Promise<unknown>): Promise<{ processor: number; clock: number }> {
  const [started, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { processor: (user + system) / 1_000, clock: performance.now() - started };
}
