// The gateway's events, for the parts of this page. All tabs of a person share one connection; where the browser has no shared workers, the
// page has its own.
import { signal } from '@preact/signals';
import { isSignedIn, pageHeaders } from '../api/call.ts';
import { openEventReader, type StreamEvent, type StreamMessage } from './event-reader.ts';
import type { TabMessage } from './stream-worker.ts';
import workerUrl from './stream-worker.ts?sharedworker&url';
import { trustedWorkerUrl } from './trusted-url.ts';

/** False while the connection is lost; it comes back by itself. */
export const isConnected = signal(true);

const listeners = new Set<(event: StreamEvent) => void>();
let isOpen = false;
const LONGEST_START_MS = 1_500;

function openStream(person: string): void {
  if (isOpen) return;
  isOpen = true;
  const address = new URL('api/events', document.baseURI);
  // The gateway refuses the stream once the browser's cookie is somebody else's.
  address.searchParams.set('person', person);
  if (typeof SharedWorker === 'undefined') {
    openEventReader({ address, headers: pageHeaders, onMessage: take });
    return;
  }
  const name = `lainclaw-events-${person}`;
  const { port } = new SharedWorker(trustedWorkerUrl(workerUrl), { type: 'module', name });
  port.onmessage = ({ data }: MessageEvent<StreamMessage>) => take(data);
  const tell = (message: TabMessage): void => port.postMessage(message);
  tell({ kind: 'open', address: address.href, headers: pageHeaders() });
  addEventListener('pagehide', () => tell({ kind: 'close' }));
  addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    tell({ kind: 'open', address: address.href, headers: pageHeaders() });
    // What happened while the page was away was sent to others.
    take({ kind: 'event', event: { type: 'reset' } });
  });
}

/**
 * Resolves when events are being read: what is loaded from then on misses nothing. A gateway that is slow to answer does not keep
 * the page from opening: once events come, what was loaded meanwhile is loaded again.
 */
export async function streamStarted(person: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isLate = false;
  const end = onStream(() => {
    end();
    resolve();
    if (isLate) take({ kind: 'event', event: { type: 'reset' } });
  });
  setTimeout(() => {
    isLate = true;
    resolve();
  }, LONGEST_START_MS);
  openStream(person);
  await promise;
}

/** Returns the function that ends it. */
export function onStream(listener: (event: StreamEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function take(message: StreamMessage): void {
  if (message.kind === 'signed-out') {
    isSignedIn.value = false;
    return;
  }
  if (message.kind === 'connection') {
    isConnected.value = message.isOpen;
    return;
  }
  for (const listener of listeners) listener(message.event);
}
