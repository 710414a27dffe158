import { restoreBackup, verifyBackup } from '../../operations/backup.ts';
import { CommandError } from '../command-error.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { fileSize } from '../file-size.ts';
import { withOutput } from '../flags.ts';
import { addPassphrase, type PassphraseFlags, withPassphrase } from '../passphrase.ts';
import { operationContext } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, writeJson } from '../terminal.ts';
import { terminalPrompter } from '../terminal-prompter.ts';
import { withRuntime } from '../with-runtime.ts';

interface RestoreFlags extends OutputFlags, PassphraseFlags {
  yes?: boolean;
}

export const configureRestore: ConfigureCommand = (command, terminal) => {
  command.argument('<file>').option('--yes', 'restore over what is there without asking');
  withOutput(addPassphrase(command)).action((file: string, flags: RestoreFlags) => run(file, flags, terminal));
};

async function run(file: string, { yes = false, ...flags }: RestoreFlags, terminal: Terminal): Promise<void> {
  const asJson = wantsJson(terminal, flags);
  const restored = await withPassphrase(flags, terminal, (passphrase) => restoreWhole(file, passphrase, yes, terminal));
  if (asJson) return writeJson(terminal, { success: true, ...restored });
  const { home, files, bytes, createdAt, setAside } = restored;
  terminal.out.write(`restored ${printable(home)} as of ${createdAt}: ${files} files, ${fileSize(bytes)}\n`);
  if (setAside !== undefined) terminal.out.write(`what was there before is in ${printable(setAside)}\n`);
}

function restoreWhole(file: string, passphrase: string | undefined, yes: boolean, terminal: Terminal) {
  return withRuntime(
    terminal,
    async (runtime) => {
      const context = operationContext(runtime, terminal);
      try {
        return await restoreBackup.run({ file, passphrase, replace: yes }, context);
      } catch (error) {
        if ((error as { code?: string }).code !== 'BACKUP_HOME_NOT_EMPTY') throw error;
      }
      // The person decides on a backup that is known to be sound.
      const { createdAt, files } = await verifyBackup.run({ file, passphrase }, context);
      await confirm(file, `${files} files of ${createdAt}`, runtime.environment.home, terminal);
      return restoreBackup.run({ file, passphrase, replace: true }, context);
    },
    { ignoreBadConfig: true },
  );
}

async function confirm(file: string, what: string, home: string, terminal: Terminal): Promise<void> {
  const person = await terminalPrompter(terminal);
  if (!person)
    throw new UsageError(`${home} is not empty: confirm with --yes (lainclaw restore ${file} --yes)`, {
      code: 'BACKUP_HOME_NOT_EMPTY',
    });
  const question = `Restore ${what} over ${printable(home)}? What is there is kept in a folder of its own.`;
  if (!(await person.confirm(question, terminal.signal)))
    throw new CommandError('NOT_CONFIRMED', 'nothing was restored');
}
