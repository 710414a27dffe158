import { counted } from '../../lib/counted.ts';
import { createAutomaticBackup, createBackup, verifyBackup } from '../../operations/backup.ts';
import type { OutputOf } from '../../operations/operation.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { fileSize } from '../file-size.ts';
import { integerFrom, single, text, withOutput } from '../flags.ts';
import { addPassphrase, givenPassphrase, type PassphraseFlags, withPassphrase } from '../passphrase.ts';
import { runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, warn, writeJson } from '../terminal.ts';

interface BackupFlags extends OutputFlags, PassphraseFlags {
  output?: string;
  verify?: string;
  force?: boolean;
  automatic?: boolean;
  ifOlderThan?: number;
}

export const configureBackup: ConfigureCommand = (command, terminal) => {
  command
    .addOption(single('--output <file>', 'where to write the backup', text))
    .addOption(single('--verify <file>', 'only check a backup that is there', text))
    .option('--force', 'replace the file when it is there already')
    .option('--automatic', "make the day's backup in the home, as the gateway does, and remove the oldest")
    .addOption(single('--if-older-than <hours>', 'with --automatic: only when the newest is older', integerFrom(0)));
  withOutput(addPassphrase(command)).action((flags: BackupFlags) => run(flags, terminal));
};

async function run(given: BackupFlags, terminal: Terminal): Promise<void> {
  if (given.automatic) return runAutomatic(given, terminal);
  const { output, verify, force, ...flags } = given;
  if ((output === undefined) === (verify === undefined))
    throw new UsageError('name the file: --output writes a backup, --verify checks one', {
      usage: 'lainclaw backup --output <file> | --verify <file>',
    });
  if (verify !== undefined)
    return withPassphrase(flags, terminal, (passphrase) =>
      runOperation(
        terminal,
        verifyBackup,
        { file: verify, passphrase },
        (found) => show('sound', found, flags, terminal),
        {
          ignoreBadConfig: true,
        },
      ),
    );
  const passphrase = await givenPassphrase(flags, terminal);
  const input = { file: output ?? '', passphrase, force };
  await runOperation(
    terminal,
    createBackup,
    input,
    (created) => {
      show('written and checked', created, flags, terminal);
      const links = created.leftOut.filter(({ reason }) => reason === 'a link').length;
      if (links > 0)
        warn(terminal, `${counted(links, 'link is', 'links are')} not in the backup: restoring makes none`);
      if (!created.isEncrypted)
        warn(terminal, 'the backup holds your sign-ins and is not encrypted: keep it private, or give a passphrase');
    },
    { ignoreBadConfig: true },
  );
}

async function runAutomatic(flags: BackupFlags, terminal: Terminal): Promise<void> {
  if (flags.output !== undefined || flags.verify !== undefined)
    throw new UsageError('--automatic goes without --output and --verify: it writes into the home');
  const input = { ifOlderThanHours: flags.ifOlderThan };
  await runOperation(terminal, createAutomaticBackup, input, (result) => {
    const { made, file = '', files = 0, bytes = 0 } = result;
    const text = made
      ? `written and checked: ${printable(file)}\n  ${counted(files, 'file')}, ${fileSize(bytes)}\n`
      : 'no backup was needed\n';
    if (wantsJson(terminal, flags)) writeJson(terminal, { success: true, ...result });
    else terminal.out.write(text);
  });
}

type Shown = OutputOf<typeof verifyBackup>;

function show(what: string, backup: Shown, flags: OutputFlags, terminal: Terminal): void {
  if (wantsJson(terminal, flags)) {
    writeJson(terminal, { success: true, ...backup });
    return;
  }
  const { file, files, bytes, createdAt, isEncrypted } = backup;
  const encrypted = isEncrypted ? ', encrypted' : '';
  terminal.out.write(`${what}: ${printable(file)}\n`);
  terminal.out.write(`  ${counted(files, 'file')}, ${fileSize(bytes)}${encrypted}, made ${createdAt}\n`);
}
