// The passphrase of a backup: from standard input, from a variable, or typed by a person; never from the command line, which others can see.
import type { Command } from 'commander';
import { single, text } from './flags.ts';
import { canAsk, type Terminal, UsageError } from './terminal.ts';

export interface PassphraseFlags {
  passphraseStdin?: boolean;
  passphraseEnv?: string;
}

export function addPassphrase(command: Command): Command {
  return command
    .option('--passphrase-stdin', 'read the passphrase from standard input')
    .addOption(single('--passphrase-env <name>', 'read the passphrase from this variable', text));
}

/** Undefined when no flag asks for one. */
export async function givenPassphrase(
  { passphraseStdin, passphraseEnv }: PassphraseFlags,
  terminal: Terminal,
): Promise<string | undefined> {
  if (passphraseStdin && passphraseEnv !== undefined)
    throw new UsageError('--passphrase-stdin and --passphrase-env exclude each other: give one of them');
  if (passphraseEnv !== undefined) {
    const value = terminal.environment.variables[passphraseEnv];
    if (value) return value;
    throw new UsageError(`--passphrase-env ${passphraseEnv}: the variable ${passphraseEnv} is not set or empty`);
  }
  return passphraseStdin ? askPassphrase(terminal) : undefined;
}

/** Runs `use` again with a passphrase that the person types, where the backup needs one and somebody is there. */
export async function withPassphrase<T>(
  flags: PassphraseFlags,
  terminal: Terminal,
  use: (passphrase: string | undefined) => Promise<T>,
): Promise<T> {
  const given = await givenPassphrase(flags, terminal);
  try {
    return await use(given);
  } catch (error) {
    if ((error as { code?: string }).code !== 'BACKUP_NO_PASSPHRASE' || !canAsk(terminal)) throw error;
    return use(await askPassphrase(terminal));
  }
}

async function askPassphrase(terminal: Terminal): Promise<string> {
  const { readSecret } = await import('./read-secret.ts');
  const passphrase = await readSecret('passphrase', terminal);
  if (passphrase !== '') return passphrase;
  throw new UsageError('the passphrase is empty: give one');
}
