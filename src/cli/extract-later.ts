// For those who only use `ask`: when the answer has been shown, a process of its own extracts the facts of conversations that have rested. It outlives the
// command, works at low priority for a bounded time, within the caps of a day, and leaves the work to a gateway or chat that is at it.
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import type { Runtime } from '../runtime/runtime.ts';

const MOST_SECONDS = '120';

/** Never rejects: the turn is finished, and a failure here must not look like one of the turn. */
export async function extractLater(runtime: Runtime, onFailure: (reason: string) => void): Promise<void> {
  try {
    await startExtraction(runtime);
  } catch (error) {
    onFailure(error instanceof Error ? error.message : String(error));
  }
}

async function startExtraction(runtime: Runtime): Promise<void> {
  if (runtime.config.memoryFactsAfterAsk === false || !(await (await runtime.factExtraction()).isDue())) return;
  const { program, cwd, variables } = runtime.environment;
  const [node = process.execPath, ...rest] = program;
  const args = [...rest, 'memory', 'extract', '--rested', '--seconds', MOST_SECONDS];
  const child = spawn(node, args, { cwd, env: { ...variables }, stdio: 'ignore', detached: true });
  // Where no process can be started, the next one that lasts does it.
  child.on('error', () => {});
  if (child.pid !== undefined) lowerPriority(child.pid);
  child.unref();
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or may not be changed.
  }
}
