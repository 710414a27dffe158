// The first bytes of a client inside a tunnel. One address serves many names, so a client that begins TLS must name the server that
// was permitted. On the ports of the web it must begin TLS; on another port, which a person named, it may speak anything else.
import type { Duplex } from 'node:stream';
import { hostOfTarget, isAddress, parseHost, type Target } from './host.ts';
import { readFirstMessage } from './server-name.ts';

export interface TunnelOptions {
  /** What came with the request for the tunnel. */
  head: Buffer;
  target: Target;
  mustBeTls: boolean;
}

/** Bytes to pass on; or what was asked for instead, when it is known. */
export type TunnelStart = { ok: true; bytes: Buffer } | { ok: false; asked?: string };

/** How long a client that must begin TLS may take to. */
const FIRST_MESSAGE_MS = 30_000;

/** Leaves the client paused. */
export function readTunnelStart(client: Duplex, { head, target, mustBeTls }: TunnelOptions): Promise<TunnelStart> {
  return new Promise((resolve) => {
    const chunks = [head];
    let length = head.length;
    // Looked at again only when there is as much as the message needs: a client may send byte by byte.
    let needs = 0;
    const done = (start: TunnelStart): void => {
      clearTimeout(timer);
      client.off('data', onData).off('end', onEnd).off('close', onEnd).pause();
      resolve(start);
    };
    const look = (): void => {
      if (length < needs) return;
      const bytes = Buffer.concat(chunks);
      chunks.splice(0, chunks.length, bytes);
      const message = readFirstMessage(bytes);
      if (message.kind === 'incomplete') {
        needs = message.needs;
        return;
      }
      const at = `at ${hostOfTarget(target)}`;
      if (message.kind === 'tls' && !namesServer(message.name, target))
        done({ ok: false, asked: `${shownName(message.name)} ${at}` });
      else if (message.kind === 'other' && mustBeTls) done({ ok: false, asked: `what is not TLS ${at}` });
      else done({ ok: true, bytes });
    };
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      length += chunk.length;
      look();
    };
    const onEnd = (): void => done({ ok: false });
    const timer = mustBeTls ? setTimeout(onEnd, FIRST_MESSAGE_MS) : undefined;
    client.on('data', onData).on('end', onEnd).on('close', onEnd);
    look();
  });
}

/** People and models read it: bytes of the client that are not a name are not repeated. */
function shownName(name: string | undefined): string {
  if (name === undefined) return 'an unnamed server';
  return parseHost(name)?.name ?? 'a server without a valid name';
}

/** Where an address was permitted, so is every server at it. */
function namesServer(name: string | undefined, target: Target): boolean {
  return isAddress(target.name) || name?.toLowerCase().replace(/\.$/, '') === target.name;
}
