// The processes beside a bench: what is measured runs in one of its own, and so does the model, whose work must not be counted as
// anyone's.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { LASTING_VARIABLES, lastingCommand } from '../src/config/lasting-process.ts';
import { cleanEnvironment } from './commands.ts';

/** Runs Node to its end and returns what it said. */
export function runNode(...args: string[]): Promise<string> {
  return run([process.execPath, ...args], cleanEnvironment());
}

/** The same with what the gateway's process is started with. */
export function runLasting(...args: string[]): Promise<string> {
  return run(lastingCommand([process.execPath, ...args]), { ...cleanEnvironment(), ...LASTING_VARIABLES });
}

async function run([node = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(node, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`);
  return output;
}

/** Starts a fake model, one of the files of this folder; it ends with this process at the latest. */
export async function startModel(
  file: string,
  onLine?: (line: string) => void,
): Promise<{ baseUrl: string; stop(): void }> {
  const { line, stop } = await startBeside(file, onLine);
  return { baseUrl: `${line}/v1`, stop };
}

/** Starts a file of this folder as a process that ends with this one at the latest. `line`: the first that it says; `onLine` gets what it says later. */
export async function startBeside(
  file: string,
  onLine?: (line: string) => void,
): Promise<{ line: string; stop(): void }> {
  const child = spawn(process.execPath, [resolve('bench', file)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = (): void => void child.kill();
  process.once('exit', stop);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  if (onLine) child.stdout.on('data', (said: Buffer) => onLine(String(said).trim()));
  return { line: String(line).trim(), stop };
}
