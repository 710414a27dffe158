// An operation that waits until a person has visited an address: the gateway names the address on the stream.
import { useEffect, useRef, useState } from 'preact/hooks';
import { onStream } from '../events/stream.ts';

export type VisitStep = { kind: 'idle' } | { kind: 'starting' } | { kind: 'waiting'; address: string; code: string };

export interface Visit {
  step: VisitStep;
  problem: unknown;
  /** Calls it with a signal that ends it; `onDone` when it has succeeded. */
  begin(work: (abort: AbortSignal) => Promise<unknown>, onDone: () => void): Promise<void>;
  cancel(): void;
}

/** It is cancelled when the page is left. `about`: the name in the input of the operation, where it has one: several may wait. */
export function useVisit(operation: string, about?: string): Visit {
  const [step, setStep] = useState<VisitStep>({ kind: 'idle' });
  const [problem, setProblem] = useState<unknown>();
  const leaving = useRef<AbortController>(undefined);
  const cancel = (): void => leaving.current?.abort();
  useEffect(() => cancel, []);

  async function begin(work: (abort: AbortSignal) => Promise<unknown>, onDone: () => void): Promise<void> {
    const abort = new AbortController();
    leaving.current = abort;
    setProblem(undefined);
    setStep({ kind: 'starting' });
    const end = onStream(({ type, operation: told, name, address, code }) => {
      if (type === 'sign-in' && told === operation && name === about && isWebAddress(address))
        setStep({ kind: 'waiting', address, code: String(code ?? '') });
    });
    try {
      await work(abort.signal);
      onDone();
    } catch (refused) {
      if (!abort.signal.aborted) setProblem(refused);
    } finally {
      end();
      setStep({ kind: 'idle' });
    }
  }

  return { step, problem, begin, cancel };
}

function isWebAddress(address: unknown): address is string {
  return typeof address === 'string' && /^https?:\/\//.test(address);
}
