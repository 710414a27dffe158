import { resolve } from 'node:path';
import { counted } from '../../lib/counted.ts';
import { newId } from '../../lib/new-id.ts';
import { readBackedUpFile, restoreBackedUpSession, restoreBackup, verifyBackup } from '../../operations/backup.ts';
import { CommandError } from '../command-error.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { fileSize } from '../file-size.ts';
import { single, text, withOutput } from '../flags.ts';
import { openOutputFile } from '../output-file.ts';
import { addPassphrase, type PassphraseFlags, withPassphrase } from '../passphrase.ts';
import { operationContext, runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, writeJson } from '../terminal.ts';
import { terminalPrompter } from '../terminal-prompter.ts';
import { withRuntime } from '../with-runtime.ts';

interface Flags extends OutputFlags, PassphraseFlags {}

interface RestoreFlags extends Flags {
  yes?: boolean;
  session?: string;
  path?: string;
  output?: string;
  force?: boolean;
}

export const configureRestore: ConfigureCommand = (command, terminal) => {
  command
    .argument('<file>')
    .option('--yes', 'restore over what is there without asking')
    .addOption(single('--session <key>', 'only this conversation, beside those that are there', text))
    .addOption(single('--path <file>', 'only print this file of the home', text))
    .addOption(single('--output <file>', 'with --path: write it to this file', text))
    .option('--force', 'with --output: replace the file when it is there already');
  withOutput(addPassphrase(command)).action((file: string, flags: RestoreFlags) => run(file, flags, terminal));
};

async function run(file: string, { yes, session, path, output, force, ...flags }: RestoreFlags, terminal: Terminal) {
  if ([session, path, yes].filter((flag) => flag !== undefined).length > 1)
    throw new UsageError('--session, --path and --yes exclude each other: give one of them');
  if (path === undefined && (output !== undefined || force))
    throw new UsageError('--output and --force go with --path, which names the file that is written');
  if (session !== undefined) return restoreSession(file, session, flags, terminal);
  if (path !== undefined) return readOne({ file, path, output, force }, flags, terminal);
  return restoreAll(file, yes ?? false, flags, terminal);
}

async function restoreSession(file: string, session: string, flags: Flags, terminal: Terminal): Promise<void> {
  await withPassphrase(flags, terminal, (passphrase) =>
    runOperation(terminal, restoreBackedUpSession, { file, passphrase, session }, (restored) => {
      if (wantsJson(terminal, flags)) return writeJson(terminal, { success: true, ...restored });
      const key = printable(restored.session.sessionKey);
      const renamed = restored.session.sessionKey === restored.from ? '' : ` as ${key}: its own key is taken`;
      terminal.out.write(`restored ${printable(restored.from)}${renamed}\n`);
      terminal.out.write(`continue with: lainclaw chat --session ${key}\n`);
    }),
  );
}

interface OneFile {
  file: string;
  path: string;
  output?: string;
  force?: boolean;
}

async function readOne(
  { file, path, output, force = false }: OneFile,
  flags: Flags,
  terminal: Terminal,
): Promise<void> {
  await withPassphrase(flags, terminal, async (passphrase) => {
    const input = { file, path, passphrase };
    if (output !== undefined) return writeOne(input, output, force, flags, terminal);
    const { out } = terminal;
    // A file may hold what a terminal would obey.
    if (out.isTTY)
      return runOperation(terminal, readBackedUpFile, input, ({ text: shown = '' }) =>
        out.write(shown.split('\n').map(printable).join('\n')),
      );
    const stream = out.stream();
    const onBytes = (bytes: Buffer) => new Promise<void>((done) => void stream.write(bytes, () => done()));
    return runOperation(terminal, readBackedUpFile, input, () => {}, { onBytes });
  });
}

async function writeOne(
  input: { file: string; path: string; passphrase: string | undefined },
  output: string,
  force: boolean,
  flags: Flags,
  terminal: Terminal,
): Promise<void> {
  const written = await openOutputFile(resolve(terminal.environment.cwd, output), { force, newId });
  try {
    await runOperation(
      terminal,
      readBackedUpFile,
      input,
      async ({ bytes }) => {
        await written.finish();
        if (wantsJson(terminal, flags)) writeJson(terminal, { success: true, output: written.path, bytes });
        else terminal.out.write(`written: ${printable(written.path)}, ${fileSize(bytes)}\n`);
      },
      { onBytes: written.writeBytes },
    );
  } finally {
    await written.discard();
  }
}

async function restoreAll(file: string, yes: boolean, flags: Flags, terminal: Terminal): Promise<void> {
  const asJson = wantsJson(terminal, flags);
  const restored = await withPassphrase(flags, terminal, (passphrase) => restoreWhole(file, passphrase, yes, terminal));
  if (asJson) return writeJson(terminal, { success: true, ...restored });
  const { home, files, bytes, createdAt, setAside } = restored;
  terminal.out.write(`restored ${printable(home)} as of ${createdAt}: ${counted(files, 'file')}, ${fileSize(bytes)}\n`);
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
      await confirm(file, `${counted(files, 'file')} of ${createdAt}`, runtime.environment.home, terminal);
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
