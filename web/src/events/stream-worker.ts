// Shared by all tabs of one person in the browser: one connection to the gateway, however many tabs are open. (A browser allows six connections
// to one host, and each tab with a stream of its own would take one of them.)
import { type EventReader, openEventReader, type StreamMessage } from './event-reader.ts';

/** What a tab sends. */
export type TabMessage = { kind: 'open'; address: string; headers: Record<string, string> } | { kind: 'close' };

const tabs = new Set<MessagePort>();
let reader: EventReader | undefined;
let headers: Record<string, string> = {};
let connection: StreamMessage = { kind: 'connection', isOpen: false };

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports;
  if (!port) return;
  port.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'close') return leave(port);
    tabs.add(port);
    headers = data.headers;
    if (connection.kind === 'connection' && connection.isOpen) {
      port.postMessage(connection);
      port.postMessage({ kind: 'event', event: { type: 'hello' } } satisfies StreamMessage);
    }
    reader ??= openEventReader({ address: new URL(data.address), headers: () => headers, onMessage: send });
  };
});

function send(message: StreamMessage): void {
  if (message.kind === 'connection') connection = message;
  for (const tab of tabs) tab.postMessage(message);
  if (message.kind === 'signed-out') for (const tab of tabs) leave(tab);
}

function leave(port: MessagePort): void {
  tabs.delete(port);
  if (tabs.size > 0) return;
  reader?.close();
  reader = undefined;
  connection = { kind: 'connection', isOpen: false };
}
