// Starts and kills gateways on the local channel, writes to their inbox and reads their outbox.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import type { GatewayProcessOptions } from './gateway-process.ts';
import type { Home } from './home.ts';

export interface OutboxLine {
  type: 'message' | 'edit';
  key?: string;
  messageId: string;
  chatId: string;
  replyTo?: string;
  markdown: string;
  buttons?: { label: string; value: string }[];
}

export interface LocalGateway {
  /** Resolves when it is ready. */
  start(more?: Partial<GatewayProcessOptions>): Promise<void>;
  /** Resolves when the process is gone. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Adds lines to the inbox in one write. */
  write(...lines: object[]): void;
  outbox(): OutboxLine[];
  /** Resolves when the outbox is as the condition wants it; rejects after a while. */
  until(condition: (lines: OutboxLine[]) => boolean, giveUpMs?: number): Promise<OutboxLine[]>;
  /** What the processes have said. */
  said(): string;
}

export function createLocalGateway(home: Home): LocalGateway {
  const directory = join(home.path, 'channels', 'local');
  const outboxPath = join(directory, 'outbox.jsonl');
  let child: ReturnType<typeof spawn> | undefined;
  let said = '';

  const gateway: LocalGateway = {
    async start(more = {}) {
      const options: GatewayProcessOptions = { home: home.path, workspace: home.workspace, ...more };
      const program = join(import.meta.dirname, 'gateway-process.ts');
      const started = spawn(process.execPath, [program, JSON.stringify(options)], {
        env: { PATH: process.env.PATH, HOME: home.base, LANG: 'C.UTF-8' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      const ready = Promise.withResolvers<void>();
      const tell = (chunk: Buffer): void => {
        said = (said + chunk).slice(-20_000);
        if (String(chunk).includes('ready')) ready.resolve();
      };
      started.stdout?.on('data', tell);
      started.stderr?.on('data', tell);
      started.once('exit', (code, signal) => ready.reject(new Error(`it ended with ${code ?? signal}: ${said}`)));
      await ready.promise;
    },
    async end(signal) {
      const ending = child;
      if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
      const gone = once(ending, 'exit');
      ending.kill(signal);
      await gone;
    },
    write(...lines) {
      mkdirSync(directory, { recursive: true });
      appendFileSync(join(directory, 'inbox.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    },
    outbox() {
      if (!existsSync(outboxPath)) return [];
      const text = readFileSync(outboxPath, 'utf8');
      return text
        .slice(0, text.lastIndexOf('\n') + 1)
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as OutboxLine);
    },
    until: (condition, giveUpMs) =>
      eventually(() => {
        const lines = gateway.outbox();
        if (condition(lines)) return lines;
        const last = JSON.stringify(lines.slice(-5), undefined, 1);
        throw new Error(`the outbox did not come to it; its end: ${last}; said: ${said}`);
      }, giveUpMs),
    said: () => said,
  };
  return gateway;
}
