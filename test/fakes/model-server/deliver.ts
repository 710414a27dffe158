// Puts an answer on the wire, with the fault of its reply. Never rejects: a client that goes away ends the delivery.
import type { ServerResponse } from 'node:http';
import { ARE_DELAYED, delay } from '../../support/delays.ts';
import type { Fault } from './reply.ts';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  frames: string[];
}

/** Frames of an endless answer in one write. */
const REPEATED = 20;

export async function deliver(response: ServerResponse, answer: Answer, fault?: Fault): Promise<void> {
  const start = () => response.writeHead(answer.status, answer.headers);
  switch (fault?.kind) {
    case 'hang':
      if (fault.afterBytes === undefined) return;
      start();
      await send(response, bytesOf(answer).subarray(0, fault.afterBytes));
      return;
    case 'endless': {
      start();
      const at = answer.frames.findIndex((frame) => frame.includes(fault.words));
      await send(response, Buffer.from(answer.frames.slice(0, at).join('')));
      const again = Buffer.from((answer.frames[at] ?? '').repeat(REPEATED));
      while (!response.closed) await send(response, again);
      return;
    }
    case 'cut':
      start();
      await send(response, bytesOf(answer).subarray(0, fault.afterBytes));
      response.destroy();
      return;
    case 'end-early':
      start().end(bytesOf(answer).subarray(0, fault.afterBytes));
      return;
    case 'delay':
      await pause(response, fault.beforeHeadersMs);
      start();
      for (const frame of answer.frames) {
        await send(response, Buffer.from(frame));
        await pause(response, fault.betweenFramesMs);
      }
      response.end();
      return;
    case 'slow-bytes': {
      start();
      const bytes = bytesOf(answer);
      for (let at = 0; at < bytes.length && !response.closed; at += fault.chunk) {
        await send(response, bytes.subarray(at, at + fault.chunk));
      }
      response.end();
      return;
    }
    default:
      start();
      if (!ARE_DELAYED) return void response.end(answer.frames.join(''));
      for (const frame of answer.frames) {
        await send(response, Buffer.from(frame));
        await delay(500);
      }
      response.end();
  }
}

function bytesOf({ frames }: Answer): Buffer {
  return Buffer.from(frames.join(''));
}

/**
 * Resolves once the bytes, or for none of them the headers, are on their way, and a client in this process has had its
 * turn to read them: what is sent next arrives on its own.
 */
function send(response: ServerResponse, bytes: Buffer): Promise<void> {
  if (response.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const sent = () => setImmediate(() => setImmediate(resolve));
    if (bytes.length > 0) response.write(bytes, sent);
    else {
      response.flushHeaders();
      sent();
    }
  });
}

function pause(response: ServerResponse, ms = 0): Promise<void> {
  if (ms === 0 || response.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      response.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    response.on('close', done);
  });
}
