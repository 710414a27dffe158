/** Milliseconds of a clock that never goes back, for durations and deadlines. `performance.now()` would load 2 ms of modules. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}
