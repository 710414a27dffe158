// What commands have left whose Lainclaw was killed: put back before anybody works on files, and before git or an editor finds it.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Base } from './base.ts';
import { COMMAND_RECORDS, type Services } from './services.ts';

/** Says each thing once; returns what this process has put back so far, one line each. Never rejects. */
export type FinishKilledCommands = () => Promise<readonly string[]>;

export function createFinishKilledCommands(
  { environment, storage, now, warn }: Base,
  { commandRecords }: Pick<Services, 'commandRecords'>,
): FinishKilledCommands {
  const directory = join(environment.home, COMMAND_RECORDS);
  const said = new Set<string>();
  return async () => {
    if (!hasEntries(directory)) return [...said];
    const { finishKilledCommands } = await import('../tools/shell/finish-killed-commands.ts');
    const keptPath = (name: string): Promise<string> => storage.outputs.place('killed-commands', name);
    const found = await finishKilledCommands({ records: await commandRecords(), now, keptPath }).catch(
      (error: Error) => [`what a command that was killed has left could not be put back: ${error.message}`],
    );
    for (const line of found) {
      if (!said.has(line)) warn(line);
      said.add(line);
    }
    return [...said];
  };
}

/** One look at a directory, which every command takes. */
function hasEntries(directory: string): boolean {
  try {
    return readdirSync(directory).length > 0;
  } catch {
    return false;
  }
}
