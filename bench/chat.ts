// The chat at the terminal where it has most to do: a key behind `@` in a workspace of 100,000 files, and a turn with 200 tool calls on 60 columns.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFileSearch } from '../src/cli/chat/file-search.ts';
import { startModelServer } from '../test/fakes/model-server/model-server.ts';
import { startChat } from '../test/support/chat-terminal.ts';
import { createHome, type Home } from '../test/support/home.ts';
import { seededRandom } from '../test/support/random.ts';
import { type Bench, type Figure, median, type Scale } from './bench.ts';

const KEY_MS = 30;
const ROUNDS = 5;
const MEMORY_MB = 120;
const COLUMNS = 60;
const WORDS =
  'src lib test cart order payment rounding service handler component index button table model view store gateway session'.split(
    ' ',
  );
/** Typed letter by letter; each begins again. */
const TYPED = ['cartround', 'srcpay', 'e.ts', 'gateway/session', 'zzz', '9999'];
/** Clearing the screen or the scrollback, or every line of the screen: what a person sees as a flicker. */
const FLICKERS = ['\x1b[2J', '\x1b[3J', '\x1b[H\x1b[2K'];

export const chat: Bench = {
  name: 'chat',
  run: async (scale) => [fileSearch(scale), ...(await longTurn(scale))],
};

function fileSearch(scale: Scale): Figure {
  const files = scale === 'full' ? 100_000 : 1_000;
  const random = seededRandom(13);
  const word = (): string => WORDS[Math.floor(random() * WORDS.length)] ?? '';
  const search = createFileSearch();
  for (let file = 0; file < files; file += 1) {
    const folders = Array.from({ length: 1 + Math.floor(random() * 5) }, word);
    search.add(`${folders.join('/')}/${word()}-${file}.ts`);
  }
  const keys = TYPED.flatMap((text) => Array.from(text, (_, index) => text.slice(0, index + 1)));
  const rounds = Array.from({ length: ROUNDS }, () => keys.map((typed) => processorTime(() => search.find(typed, 50))));
  const times = keys.map((_, index) => median(rounds.map((round) => round[index] ?? Number.NaN)));
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const detail = `the worst of ${times.length} keys over ${files} files; on average ${mean.toFixed(1)}`;
  return { name: 'a key behind @', value: Math.max(...times), unit: 'ms of processor', limit: KEY_MS, detail };
}

/** In milliseconds, of this process alone: other programs do not count. */
function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function longTurn(scale: Scale): Promise<Figure[]> {
  const calls = scale === 'full' ? 200 : 5;
  const home = createHome();
  for (let file = 0; file < calls; file += 1)
    writeFileSync(join(home.workspace, `file-${file}.txt`), `${'words '.repeat(200)}\n`.repeat(5));
  const server = await startModelServer({
    script(_request, index) {
      return index < calls
        ? {
            reasoning: `Step ${index}: the next file. It may hold what is asked for.`,
            text: `Reading file ${index}.`,
            toolCalls: [{ name: 'fs_read_file', args: { path: `file-${index}.txt` } }],
          }
        : { text: 'All of them are read.' };
    },
  });
  const flags = ['--provider', 'openai-compatible', '--model', 'fake', '--base-url', `${server.url}/v1`];
  const steps = ['--session', 'main', '--tool-max-steps', String(calls + 10)];
  const screen = startChat([...flags, ...steps], {
    home,
    env: { LAINCLAW_API_KEY: 'none' },
    columns: COLUMNS,
    rows: 24,
  });
  try {
    await screen.shows('Ctrl+D leaves');
    const before = flickersIn(screen.raw());
    await screen.type('read them all\r');
    await screen.shows('All of them are read.');
    const flickers = flickersIn(screen.raw()) - before;
    await screen.hides('Esc cancels');
    const resident = megabytes(home, 'VmHWM');
    const own = megabytes(home, 'RssAnon').toFixed(0);
    await screen.type('\x04');
    await screen.ended;
    const detail = `a turn with ${calls} tool calls on ${COLUMNS} columns`;
    return [
      { name: 'the screen cleared', value: flickers, unit: 'times', limit: 0, detail },
      {
        name: 'memory of the chat',
        value: resident,
        unit: 'MB resident',
        limit: MEMORY_MB,
        detail: `the most during ${detail}; ${own} of them its own at the end, without the pages of Node's binary, which processes share`,
      },
    ];
  } finally {
    screen.close();
    await server.close();
    home.remove();
  }
}

function megabytes(home: Home, what: string): number {
  const pid = readFileSync(join(home.base, 'chat.pid'), 'utf8').trim();
  const [, kilobytes] = new RegExp(`${what}:\\s*(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kilobytes) * 1_024) / 1e6;
}

function flickersIn(raw: string): number {
  return FLICKERS.reduce((sum, sequence) => sum + raw.split(sequence).length - 1, 0);
}
