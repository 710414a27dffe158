// By itself the engine lets its heap grow on a large machine, for speed that a waiting service does not need: with 20 MB in use it
// holds 300 MB. A process that stays collects its old generation when it has grown by half, and lets its young one grow up to
// 4 MB. Half of that would be collected twice as often, which is a tenth of a turn's time: too much for a gateway, nothing that a person
// at a chat would notice. With more, memory grows and time hardly shrinks. The engine has no such setting for a process that runs: its growth is stopped after the collection that reaches the size.
// One-shot commands never come here: loading the modules alone costs them two milliseconds.

/**
 * For a process that is started to stay, on Linux: what the C library's allocator keeps for each of a dozen threads, mostly unused, is
 * 20 MB. It is read when a program starts, so the program that starts the gateway sets it.
 */
export const LASTING_VARIABLES = { MALLOC_ARENA_MAX: '2' } as const;

/**
 * Functions that are often called are then compiled by the thread that calls them, one after the other. By itself the engine leaves them to
 * other threads; on a busy machine they wait there, each with its half-made graph: 15 to 50 MB that the allocator never gives back.
 * The processor's time is the same. A process that runs cannot switch this off.
 */
const FLAGS = ['--no-concurrent-recompilation'];

/** The same command for a process that is started to stay. Its first word is Node. */
export function lastingCommand([node = '', ...args]: readonly string[]): string[] {
  return [node, ...FLAGS.filter((flag) => !args.includes(flag)), ...args];
}

/** Both halves. */
const YOUNG_BYTES = 8_000_000;
/** Of a process that works for one person. */
export const SMALL_YOUNG_BYTES = YOUNG_BYTES / 2;

export function keepMemorySmall(youngBytes: number = YOUNG_BYTES): void {
  const { setFlagsFromString, getHeapSpaceStatistics } = process.getBuiltinModule('node:v8');
  const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks');
  setFlagsFromString('--heap-growing-percent=50');

  const stopGrowth = (): void => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (young && young.space_size < youngBytes) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    collections.disconnect();
  };
  const collections = new PerformanceObserver(stopGrowth);
  collections.observe({ entryTypes: ['gc'] });
  stopGrowth();
}
