import { useEffect, useState } from 'preact/hooks';

export type Loaded<Value> =
  | { kind: 'loading'; value?: undefined }
  | { kind: 'ready'; value: Value }
  | { kind: 'failed'; problem: unknown; value?: Value };

/** Loads when the component appears and when a dependency changes. A later load that fails keeps what was there. */
export function useLoaded<Value>(
  load: (abort: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
): Loaded<Value> & { reload(): void } {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ kind: 'loading' });
  const [count, setCount] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    load(abort.signal)
      .then((value) => {
        if (!abort.signal.aborted) setLoaded({ kind: 'ready', value });
      })
      .catch((problem: unknown) => {
        if (!abort.signal.aborted) setLoaded((before) => ({ kind: 'failed', problem, value: before.value }));
      });
    return () => abort.abort();
  }, [...dependencies, count]);
  return { ...loaded, reload: () => setCount((before) => before + 1) };
}
