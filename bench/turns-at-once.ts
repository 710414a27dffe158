// What the benches of turns have in common: the floor, which is plain requests to the same model, and the figure against it.
import type { Figure } from './bench.ts';

/** As many requests to the model, as many at once, each read to its end. In milliseconds. */
export async function timeRequests(
  baseUrl: string,
  { count, atOnce }: { count: number; atOnce: number },
): Promise<number> {
  const body = JSON.stringify({ model: 'fake', stream: true, messages: [{ role: 'user', content: 'steps 0' }] });
  const headers = { 'content-type': 'application/json', authorization: 'Bearer none' };
  let left = count;
  const started = performance.now();
  const askOn = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await (await fetch(`${baseUrl}/chat/completions`, { method: 'POST', headers, body })).text();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, askOn));
  return performance.now() - started;
}

export interface TimedTurns {
  name: string;
  turns: number;
  ms: number;
  /** Of as many plain requests. */
  floor: number;
  /** The least there must be. */
  turnsASecond: number;
  /** What else was measured. */
  more?: readonly string[];
}

export function turnsFigure({ name, turns, ms, floor, turnsASecond, more = [] }: TimedTurns): Figure {
  const rate = `${((turns * 1_000) / ms).toFixed(0)} turns/s`;
  const detail = [rate, ...more, `${(ms / floor).toFixed(1)} × a plain request to the model`].join(', ');
  return { name, value: ms / turns, unit: 'ms a turn', limit: 1_000 / turnsASecond, detail };
}
