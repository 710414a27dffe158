// The gateway's daily backup. Checking and copying a large home takes seconds of a processor, so a process of its own does it, at low priority:
// `lainclaw backup --automatic`. It decides by itself whether the newest backup is old enough.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';

const FIRST_AFTER_MS = 60_000;
const EVERY_MS = 3_600_000;
const OLDER_THAN_HOURS = '23';
const KEPT_CHARACTERS = 4_000;

export interface DailyBackupOptions {
  /** The command line of this program: the Node binary and its arguments. */
  program: readonly string[];
  cwd: string;
  variables: Readonly<Record<string, string | undefined>>;
  log(line: { level: 'info' | 'warn'; event: string; message: string }): void;
  firstAfterMs?: number;
  everyMs?: number;
}

export interface DailyBackup {
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

export function startDailyBackup(options: DailyBackupOptions): DailyBackup {
  const { log, firstAfterMs = FIRST_AFTER_MS, everyMs = EVERY_MS } = options;
  let child: ChildProcess | undefined;
  let timer = setTimeout(look, firstAfterMs).unref();
  let running: Promise<void> | undefined;
  let isStopped = false;

  function look(): void {
    running = run()
      .catch((error: unknown) => log({ level: 'warn', event: 'backup-failed', message: (error as Error).message }))
      .finally(() => {
        running = undefined;
        if (!isStopped) timer = setTimeout(look, everyMs).unref();
      });
  }

  async function run(): Promise<void> {
    const [node = process.execPath, ...rest] = options.program;
    const args = [...rest, 'backup', '--automatic', '--if-older-than', OLDER_THAN_HOURS, '--json'];
    child = spawn(node, args, { cwd: options.cwd, env: { ...options.variables }, stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    child.stdout?.on('data', (bytes: Buffer) => {
      said = (said + String(bytes)).slice(-KEPT_CHARACTERS);
    });
    const closed = once(child, 'close');
    if (child.pid !== undefined) lowerPriority(child.pid);
    await closed;
    if (isStopped) return;
    const { made, file, error } = JSON.parse(said) as { made?: boolean; file?: string; error?: { message: string } };
    if (error) log({ level: 'warn', event: 'backup-failed', message: error.message });
    else if (made) log({ level: 'info', event: 'backup', message: `the day's backup was made: ${file}` });
  }

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      child?.kill();
      await running;
    },
  };
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or the system does not permit it.
  }
}
