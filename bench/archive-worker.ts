// One of many processes that save and search at once: node archive-worker.ts <home> <name> <milliseconds>. Prints the ids
// of everything that was acknowledged, one a line, and ends with 1 at the first error.
import { openMemory } from './open-memory.ts';

const [home = '', name = '', milliseconds = '0'] = process.argv.slice(2);
const { memory, close } = openMemory(home);
const end = performance.now() + Number(milliseconds);
for (let count = 0; performance.now() < end; count += 1) {
  const { id } = await memory.save({ content: `worker ${name} wrote note ${count} of its own`, source: name });
  console.log(id);
  const { results } = await memory.search(`note ${count} of worker ${name}`, { topK: 5 });
  if (results.length === 0) throw new Error(`worker ${name} found nothing after saving note ${count}`);
}
close();
