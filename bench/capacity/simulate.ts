// Gateways and databases as a network of lines: a turn waits for a place in a gateway, then goes to and fro between the
// gateway's thread, the database of its tenant and the model. Told apart are the model's own time and all that is added to it.
import { createEventQueue } from './event-queue.ts';
import { createStation, type Station } from './station.ts';

export interface Installation {
  gateways: number;
  turnsAtOnce: number;
  databases: number;
  databaseCores: number;
}

export interface Work {
  turnsPerSecond: number;
  /** The database of the next turn's tenant. */
  nextDatabase(): number;
  modelCalls: number;
  nextModelSeconds(): number;
  /** On average, for a turn with one model call and for each further one. */
  gatewaySeconds: { turn: number; furtherCall: number };
  databaseSeconds: { turn: number; furtherCall: number };
}

export interface Result {
  turns: number;
  /** Seconds beside the model's, in ascending order. */
  added: Float64Array;
  gatewayBusy: number;
  /** Of the busiest one. */
  databaseBusy: number;
  /** More turns came than went: the lines grew until the end. */
  isOverloaded: boolean;
}

export interface SimulateOptions {
  random(): number;
  seconds: number;
  /** Seconds at the beginning that are not counted: the lines are still empty. */
  warmUp: number;
  /** Seconds after the counted ones in which turns end that began before: those with slow models must count too. */
  after: number;
}

export function simulate(
  installation: Installation,
  work: Work,
  { random, seconds, warmUp, after }: SimulateOptions,
): Result {
  const events = createEventQueue();
  const many = (count: number, servers: number): Station[] =>
    Array.from({ length: count }, () => createStation(events, servers));
  const places = many(installation.gateways, installation.turnsAtOnce);
  const threads = many(installation.gateways, 1);
  const databases = many(installation.databases, installation.databaseCores);
  const added: number[] = [];
  let begun = 0;
  let ended = 0;

  const exponential = (mean: number): number => -mean * Math.log(1 - random());

  function runTurn(): void {
    const start = events.now;
    const gateway = Math.floor(random() * installation.gateways);
    const [place, thread, database] = [places[gateway], threads[gateway], databases[work.nextDatabase()]];
    if (!place || !thread || !database) throw new Error('a turn has no gateway or no database');
    const isCounted = start >= warmUp && start < seconds;
    if (isCounted) begun += 1;
    let modelSeconds = 0;

    function end(): void {
      place?.leave();
      if (!isCounted) return;
      ended += 1;
      added.push(events.now - start - modelSeconds);
    }

    function callModel(callsLeft: number): void {
      const answerSeconds = work.nextModelSeconds();
      modelSeconds += answerSeconds;
      events.after(answerSeconds, () => (callsLeft <= 1 ? end() : step('furtherCall', callsLeft - 1)));
    }

    function step(kind: 'turn' | 'furtherCall', callsLeft: number): void {
      thread?.serve(exponential(work.gatewaySeconds[kind]), () =>
        database?.serve(exponential(work.databaseSeconds[kind]), () => callModel(callsLeft)),
      );
    }

    place.enter(() => step('turn', geometric(work.modelCalls, random)));
  }

  function arrive(): void {
    runTurn();
    events.after(exponential(1 / work.turnsPerSecond), arrive);
  }

  events.after(exponential(1 / work.turnsPerSecond), arrive);
  events.runUntil(warmUp);
  for (const station of [...places, ...threads, ...databases]) station.forget();
  events.runUntil(seconds);
  const waiting = [...places, ...threads, ...databases].reduce((sum, station) => sum + station.waiting(), 0);
  const gatewayBusy = threads.reduce((sum, station) => sum + station.busyShare(), 0) / threads.length;
  const databaseBusy = Math.max(...databases.map((station) => station.busyShare()));
  events.runUntil(seconds + after);
  return {
    turns: ended,
    added: Float64Array.from(added).sort(),
    gatewayBusy,
    databaseBusy,
    isOverloaded: waiting > begun * 0.02,
  };
}

/** The value that this share of an ascending list does not exceed. */
export function quantile(ascending: Float64Array, share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))] ?? Number.NaN;
}

/** At least one, on average `mean`. */
function geometric(mean: number, random: () => number): number {
  return mean <= 1 ? 1 : 1 + Math.floor(Math.log(1 - random()) / Math.log(1 - 1 / mean));
}
