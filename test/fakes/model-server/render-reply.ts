// From a reply to the bytes of its answer, in any dialect.
import { chatFailureFrame, renderChat, renderChatStream } from './chat/reply.ts';
import { EVENT_STREAM, type Rendered, spoilt } from './frames.ts';
import { createIds, type Ids } from './ids.ts';
import { messageFailureFrame, renderMessage, renderMessageStream } from './messages/reply.ts';
import type { Dialect } from './neutral-request.ts';
import { completeReply, type Reply } from './reply.ts';
import { renderResponse, renderResponseStream, responseFailureFrame } from './responses/reply.ts';

export interface RenderOptions {
  dialect: Dialect;
  model: string;
  stream: boolean;
  /** Chat Completions only: the client set `stream_options.include_usage`. */
  includeUsage: boolean;
  /** Chat Completions only: as Mistral speaks it. */
  asMistral?: boolean;
  ids: Ids;
}

/** The frames of the answer, those a fault spoils already spoilt. Throws when the fault does not fit the reply. */
export function renderReply(reply: Reply, options: RenderOptions): Rendered {
  const rendered = renderWhole(reply, options);
  const { fault } = reply;
  if (fault?.kind !== 'malformed-frame' && fault?.kind !== 'stream-error') return rendered;

  const { frames } = rendered;
  const frame = frames[fault.at];
  if (frame === undefined) throw new Error(`${fault.kind} at ${fault.at}: the reply has ${frames.length} frames`);
  if (fault.kind === 'malformed-frame') return { ...rendered, frames: frames.with(fault.at, spoilt(frame)) };
  return { ...rendered, frames: [...frames.slice(0, fault.at), failureFrame(fault, options)] };
}

/**
 * Every byte the server would send for this reply: a test can cut it anywhere. The ids in it differ from the server's,
 * their length does not.
 */
export function replyBytes(
  reply: Reply,
  options: { dialect: Dialect; model: string; stream?: boolean; includeUsage?: boolean },
): Buffer {
  const { dialect, model, stream = true, includeUsage = true } = options;
  const { frames } = renderReply(reply, { dialect, model, stream, includeUsage, ids: createIds('') });
  return Buffer.from(frames.join(''));
}

function renderWhole(reply: Reply, options: RenderOptions): Rendered {
  const { dialect, stream, ids } = options;
  if (reply.rawBody !== undefined) {
    return { contentType: stream ? EVENT_STREAM : 'application/json', frames: [reply.rawBody] };
  }
  const complete = completeReply(reply, () => ids(dialect === 'messages' ? 'toolu_' : 'call_'));
  switch (dialect) {
    case 'responses':
    case 'codex':
      return stream ? renderResponseStream(complete, options) : renderResponse(complete, options);
    case 'chat':
      return stream ? renderChatStream(complete, options) : renderChat(complete, options);
    case 'messages':
      return stream ? renderMessageStream(complete, options) : renderMessage(complete, options);
  }
}

function failureFrame(fault: { at: number; code?: string; message?: string }, options: RenderOptions): string {
  if (!options.stream) throw new Error('stream-error: the client did not ask for a stream');
  switch (options.dialect) {
    case 'responses':
    case 'codex':
      return responseFailureFrame(fault.at, options, fault.code, fault.message);
    case 'chat':
      return chatFailureFrame(fault.code, fault.message);
    case 'messages':
      return messageFailureFrame(fault.code, fault.message);
  }
}
