// The pieces of a streamed answer. A frame is the text of one server-sent event, its blank line included; the answer
// to a request that did not ask for a stream is one frame of plain JSON.

export interface Rendered {
  contentType: string;
  frames: string[];
}

export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

export function jsonAnswer(body: unknown): Rendered {
  return { contentType: 'application/json', frames: [JSON.stringify(body)] };
}

export function namedEvent(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

export function dataEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** The frame with its name kept and its data spoilt, since some clients skip events whose name they do not know. */
export function spoilt(frame: string): string {
  const data = frame.indexOf('data: ');
  return data === -1 ? '{"broken' : `${frame.slice(0, data)}data: {"broken\n\n`;
}

/** Cuts arguments into the fragments a model would stream; no character is split. */
export function fragments(text: string, count = 3): string[] {
  const characters = [...text];
  const size = Math.max(1, Math.ceil(characters.length / count));
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += size) {
    pieces.push(characters.slice(start, start + size).join(''));
  }
  return pieces;
}
