// A process that only searches an archive, to see what it holds: node archive-search-worker.ts <home> <seed> <count>. Prints how
// long each search took, warm, and the most memory the process ever had.
import { createNotes } from './archive-notes.ts';
import { openMemory } from './open-memory.ts';
import { searchTimes } from './search-times.ts';
import { createWordModel } from './word-model.ts';

const [home = '', seed = '', count = ''] = process.argv.slice(2);
const notes = createNotes(Number(seed));
for (let made = 0; made < 1_000; made += 1) notes.note();
const { memory, close } = openMemory(home, { model: createWordModel() });
const times = await searchTimes(memory, notes, Number(count));
close();
console.log(JSON.stringify({ times, megabytes: (process.resourceUsage().maxRSS * 1024) / 1e6 }));
