import { useEffect, useRef } from 'preact/hooks';
import { onStream } from '../events/stream.ts';

const TOGETHER_MS = 300;

/** Calls `onChange` soon after an event of one of these types; several of a moment are one call. */
export function useStream(types: readonly string[], onChange: () => void): void {
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = onStream(({ type }) => {
      if (!types.includes(type)) return;
      clearTimeout(timer);
      timer = setTimeout(() => latest.current(), TOGETHER_MS);
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, []);
}
