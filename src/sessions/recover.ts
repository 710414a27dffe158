// Closes a turn that was cut short (the process was killed, the machine lost power) with what its journal tells.
// A call without a result may or may not have taken effect: that is said, and the call is never run again by itself.
import type { SessionLine, SessionMessage } from './lines.ts';
import { NOT_STARTED, toolContext, unfinishedCall } from './tool-context.ts';

export interface RecoverOptions {
  unfinished: readonly SessionLine[];
  messageCount: number;
  timestamp: string;
  newId(prefix: string): string;
}

export interface Recovered {
  lines: SessionLine[];
  message?: SessionMessage;
}

export function recoverTurn({ unfinished, messageCount, timestamp, newId }: RecoverOptions): Recovered {
  const start = unfinished.find((line) => line.type === 'turn-start');
  if (!start) return { lines: [] };
  const { turnId } = start;
  const results = new Map(
    unfinished.flatMap((line) => (line.type === 'tool-result' ? [[line.callId, line] as const] : [])),
  );
  const waiting = waitingCalls(unfinished);
  const calls = unfinished.flatMap((line) => (line.type === 'tool-call' ? [line] : []));
  const lines: SessionLine[] = [];
  const pairs = calls.map(({ call, effect }) => {
    const known = results.get(call.id);
    if (known) return { call, text: known.text };
    const text = waiting.has(call.id) ? NOT_STARTED : unfinishedCall(effect);
    const error = { code: 'execution_error', reason: 'interrupted', message: text };
    lines.push({ type: 'tool-result', turnId, callId: call.id, ok: false, text, error });
    return { call, text };
  });

  const told = unfinished.some((line) => line.type === 'message' && line.message.role === 'system');
  let message: SessionMessage | undefined;
  if (pairs.length > 0 && !told) {
    const content = `The previous turn was interrupted.\n${toolContext(pairs)}`;
    message = {
      id: newId('msg-tool-context'),
      role: 'system',
      timestamp,
      content,
      route: 'recovery',
      stage: 'interrupted',
    };
    lines.push({ type: 'message', message });
  }
  const count = messageCount + (message ? 1 : 0);
  lines.push({ type: 'turn-end', turnId, timestamp, outcome: 'interrupted', messageCount: count });
  return { lines, message };
}

/** Calls that a person was asked about and had not allowed, or not yet: they never ran. */
export function waitingCalls(lines: readonly SessionLine[]): ReadonlySet<string> {
  const waiting = new Set<string>();
  for (const line of lines) {
    if (line.type === 'permission-asked') waiting.add(line.callId);
    else if (line.type === 'permission') waiting.delete(line.callId);
  }
  return waiting;
}
