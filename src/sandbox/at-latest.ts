/** Calls `onLate` once where the promise takes longer. An aborted wait would cost an exception with its stack each time. */
export function atLatest<T>(promise: Promise<T>, ms: number, onLate: () => void): Promise<T> {
  const timer = setTimeout(onLate, ms);
  return promise.finally(() => clearTimeout(timer));
}
