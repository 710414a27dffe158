// The real host: this process, its standard streams and its signals.
import { fstatSync } from 'node:fs';
import { readEnvironment } from '../config/environment.ts';
import type { Host, InputStream } from './host.ts';
import { isFedByPipeline } from './pipe-writer.ts';
import { isTerminal, openStream } from './streams.ts';

export function createProcessHost(version: string): Host {
  return {
    environment: readEnvironment({ version }),
    openOutput: openStream,
    input: standardInput,
    onSignal(listener) {
      process.on('SIGINT', listener).on('SIGTERM', listener);
      return () => process.off('SIGINT', listener).off('SIGTERM', listener);
    },
    interrupt: () => void process.kill(process.pid, 'SIGINT'),
    exit: (code) => process.exit(code),
    kill: () => void process.kill(process.pid, 'SIGKILL'),
    tellParent(message) {
      if (!process.connected) return;
      process.send?.(message, undefined, undefined, () => process.connected && process.disconnect());
    },
  };
}

const standardInput: InputStream = {
  kind() {
    // Elsewhere than on Linux the device's number tells nothing: the stream class knows.
    if (isTerminal(0)) return process.platform === 'linux' || process.stdin.isTTY ? 'terminal' : 'none';
    try {
      const stats = fstatSync(0);
      if (stats.isFile()) return stats.size > 0 ? 'file' : 'none';
      if (stats.isFIFO()) return 'pipe';
      return stats.isSocket() ? 'socket' : 'none';
    } catch {
      return 'none';
    }
  },
  isFedByPipeline,
  stream: () => process.stdin,
};
