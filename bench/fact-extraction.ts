// What an extraction of facts costs the turns beside it, with a model that never ends it: turns of the conversation that is read and of another one,
// each beside the same turn of an application that extracts nothing, one after the other in the same process. And how long the end of an application
// takes while its extraction is under way.
import { type Bench, type Figure, median } from './bench.ts';
import { withTemporaryHome } from './commands.ts';
import { type ModelApp, openModelApp } from './model-app.ts';

/** Of the same turns without an extraction. */
const MOST_TIMES = 1.15;
const MOST_TIMES_AT_P95 = 1.3;
const MOST_TIMES_TO_CLOSE = 2;
const WARM_UP = 10;
const never = new AbortController().signal;

const READ = 'read';
const OTHER = 'other';
type Session = typeof READ | typeof OTHER;

interface Times {
  beside: number[];
  without: number[];
}

export const factExtraction: Bench = {
  name: 'fact-extraction',
  run: (scale) =>
    withTemporaryHome((first) =>
      withTemporaryHome(async (second) => {
        const turns = scale === 'full' ? 200 : 5;
        // Long enough that nothing is extracted there.
        const without = await open(first, 10_000);
        const beside = await open(second, 0);
        const figures: Figure[] = [];
        try {
          await beside.app.ask('My name is Ada and I live in Lisbon.', READ, never);
          await without.app.ask('My name is Ada and I live in Lisbon.', READ, never);
          for (const { app } of [beside, without]) app.runtime.extractInBackground(console.error);
          await beside.isExtracting;
          await converse({ beside, without }, OTHER, WARM_UP);
          for (const session of [READ, OTHER] as const)
            figures.push(...figuresOf(session, await converse({ beside, without }, session, turns)));
        } finally {
          figures.push(await closeBoth({ beside, without }));
        }
        return figures;
      }),
    ),
};

interface Opened {
  app: ModelApp;
  /** Resolves when the model was asked for facts, which it never answers. */
  isExtracting: Promise<void>;
}

async function open(home: string, restMinutes: number): Promise<Opened> {
  const { promise: isExtracting, resolve } = Promise.withResolvers<void>();
  const app = await openModelApp(home, 'extracting-model.ts', {
    onLine: () => resolve(),
    remembering: { memoryFactsRestMinutes: restMinutes },
  });
  return { app, isExtracting };
}

type Both = Readonly<Record<'beside' | 'without', Opened>>;

/** A turn in each, the one that is first taking turns. */
async function converse({ beside, without }: Both, session: Session, turns: number): Promise<Times> {
  const times: Times = { beside: [], without: [] };
  const time = async (app: ModelApp, into: number[], turn: number): Promise<void> => {
    const started = performance.now();
    await app.ask(`This is message ${turn} about the garden.`, session, never);
    into.push(performance.now() - started);
  };
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn % 2 === 0) await time(beside.app, times.beside, turn);
    await time(without.app, times.without, turn);
    if (turn % 2 === 1) await time(beside.app, times.beside, turn);
  }
  return times;
}

function figuresOf(session: Session, { beside, without }: Times): Figure[] {
  const which = session === READ ? 'a turn of the conversation that is read' : 'a turn of another conversation';
  const figure = (name: string, limit: number, of: (times: readonly number[]) => number): Figure => ({
    name,
    value: of(beside) / of(without),
    unit: '× without',
    limit,
    detail: `${of(beside).toFixed(1)} ms beside an extraction, ${of(without).toFixed(1)} ms without, ${beside.length} turns each`,
  });
  return [
    figure(`${which}, p50`, MOST_TIMES, median),
    figure(
      `${which}, p95`,
      MOST_TIMES_AT_P95,
      (times) => times.toSorted((a, b) => a - b)[Math.floor(0.95 * times.length)] ?? 0,
    ),
  ];
}

async function closeBoth({ beside, without }: Both): Promise<Figure> {
  const close = async ({ app }: Opened): Promise<number> => {
    const started = performance.now();
    await app.close();
    return performance.now() - started;
  };
  const [alone, extracting] = [await close(without), await close(beside)];
  return {
    name: 'the end of an application that extracts',
    value: extracting / alone,
    unit: '× without',
    limit: MOST_TIMES_TO_CLOSE,
    detail: `${extracting.toFixed(0)} ms while an extraction is under way, ${alone.toFixed(0)} ms without`,
  };
}
