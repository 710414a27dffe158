/** Ends with the first of its sources, or when it is aborted itself. */
export interface JoinedSignal {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Lets go of the sources: to be called when what the signal was for has ended. */
  release(): void;
}

/**
 * As `AbortSignal.any`, for what happens in every turn: that one is held by weak references, and thousands of them keep the
 * collector busy.
 */
export function joinSignals(...sources: readonly AbortSignal[]): JoinedSignal {
  const control = new AbortController();
  const stops = sources.map((source) => {
    const onAbort = (): void => control.abort(source.reason);
    if (source.aborted) onAbort();
    else source.addEventListener('abort', onAbort, { once: true });
    return () => source.removeEventListener('abort', onAbort);
  });
  return {
    signal: control.signal,
    abort: (reason) => control.abort(reason),
    release() {
      for (const stop of stops) stop();
    },
  };
}
