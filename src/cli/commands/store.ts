import { Option } from 'commander';
import { counted } from '../../lib/counted.ts';
import type { OutputOf } from '../../operations/operation.ts';
import { copyStore, migrateStore, storeStatus } from '../../operations/store.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { withOutput } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../terminal.ts';

export const configureStore: ConfigureCommand = (store, terminal) => {
  const migrate = (flags: OutputFlags): Promise<void> => runMigrate(flags, terminal);
  withOutput(store.command('init').description('Create the tables in the database that "store" names')).action(migrate);
  withOutput(store.command('migrate').description('Upgrade the tables to this version')).action(migrate);
  withOutput(
    store.command('status').description('Show the database, its tables, and what the home still has from before'),
  ).action((flags: OutputFlags) => runStatus(flags, terminal));
  const side = (flag: string, about: string): Option =>
    new Option(`--${flag} <store>`, about).choices(['local', 'postgres']).makeOptionMandatory();
  withOutput(
    store
      .command('copy')
      .description('Copy the records of the home into the database, or back, and verify the copy')
      .addOption(side('from', 'where the records are: "local" is the home'))
      .addOption(side('to', 'where they are copied to')),
  ).action((flags: CopyFlags) => runCopy(flags, terminal));
};

async function runMigrate(flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, migrateStore, {}, (done) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, { success: true, ...done });
    const { address, steps, version, role, memoryInHome } = done;
    for (const { number, name } of steps) terminal.out.write(`step ${number}: ${name}\n`);
    const what = steps.length === 0 ? 'has the tables of this version already' : 'is ready';
    terminal.out.write(`${printable(address)} ${what} (version ${version})\n`);
    if (role !== undefined) terminal.out.write(`${printable(role)} can read and change rows, and nothing else\n`);
    else
      warn(
        terminal,
        'the role of "store" owns the tables: docs/store.md shows how to use one that can change rows alone',
      );
    warnOfMemory(memoryInHome, terminal);
  });
}

/** A version before this one kept memory in the home, also with `store`. */
function warnOfMemory(texts: number, terminal: Terminal): void {
  if (texts === 0) return;
  warn(
    terminal,
    `the memory of this home (${counted(texts, 'text')}) is not in the database, where it is searched: "lainclaw store copy --from local --to postgres" copies it`,
  );
}

type DatabaseStatus = Extract<OutputOf<typeof storeStatus>, { place: 'database' }>;

const STATES: Record<DatabaseStatus['tables'], string> = {
  ready: 'the tables fit this version',
  empty: 'there are no tables: run "lainclaw store init"',
  older: 'the tables are of an older version: run "lainclaw store migrate"',
  newer: 'the tables are of a newer version: upgrade lainclaw',
};

const VECTORS: Record<DatabaseStatus['vectors'], string> = {
  pgvector: 'meaning is searched with pgvector',
  available: 'meaning is searched in each gateway; the server has pgvector: "lainclaw store migrate" uses it',
  none: 'meaning is searched in each gateway: the server has no pgvector',
};

interface CopyFlags extends OutputFlags {
  from: 'local' | 'postgres';
  to: 'local' | 'postgres';
}

async function runCopy(flags: CopyFlags, terminal: Terminal): Promise<void> {
  const { from, to } = flags;
  const counting = 'steps: each record is compared, copied and verified';
  await runOperation(
    terminal,
    copyStore,
    { from, to },
    (copied) => {
      if (wantsJson(terminal, flags)) return writeJson(terminal, { success: true, ...copied });
      showCopied(copied, terminal);
    },
    { counting },
  );
}

function showCopied(done: OutputOf<typeof copyStore>, terminal: Terminal): void {
  const { address, to, kinds, damagedLines, filesElsewhere } = done;
  for (const { kind, records, copied, checksum } of kinds)
    if (records > 0) terminal.out.write(`${kind}: ${records}, ${copied} copied now (${checksum.slice(0, 12)})\n`);
  const total = kinds.reduce((sum, { records }) => sum + records, 0);
  const [source, target] = to === 'postgres' ? ['the home', address] : [address, 'the home'];
  terminal.out.write(
    `verified: ${counted(total, 'record')} of ${printable(source)} ${total === 1 ? 'is' : 'are'} in ${printable(target)}\n`,
  );
  if (to === 'local') terminal.out.write('"lainclaw config unset store" uses the home from now on\n');
  if (filesElsewhere > 0)
    warn(
      terminal,
      `${counted(filesElsewhere, 'larger file is', 'larger files are')} only on other machines and left out: "lainclaw store status" names the machines`,
    );
  if (damagedLines > 0)
    warn(terminal, `${counted(damagedLines, 'damaged line')} of conversations left out: lainclaw doctor names them`);
}

async function runStatus(flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, storeStatus, {}, (status) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, { success: true, ...status });
    if (status.place === 'home') {
      terminal.out.write(`the records are in the home, ${printable(status.home)}: no database is named\n`);
      terminal.out.write('several gateways can share one: lainclaw config set store postgres://… (docs/store.md)\n');
      return;
    }
    const { address, server, role, tables, counts, sessionsInHome, memoryInHome, isReadOnly, ownsTables } = status;
    const lines = [
      `${address}, PostgreSQL ${server}, as ${role}`,
      `${STATES[tables]} (version ${status.version})`,
      ...(counts
        ? [
            `${counted(counts.sessions, 'session')}, ${counted(counts.jobs, 'job')}, ${counted(counts.inbox, 'message')} waiting, ${counts.outbox} to send`,
          ]
        : []),
      ...(tables === 'ready' ? [VECTORS[status.vectors], ...fileLines(status)] : []),
    ];
    for (const line of lines) terminal.out.write(`${printable(line)}\n`);
    if (sessionsInHome > 0)
      warn(
        terminal,
        `${counted(sessionsInHome, 'conversation of this home is', 'conversations of this home are')} not in the database: "lainclaw store copy --from local --to postgres" copies what is missing, and without "store" it is seen again`,
      );
    warnOfMemory(memoryInHome, terminal);
    if (isReadOnly) warn(terminal, 'the database is read-only (a standby, or set so): point "store" at the primary');
    if (ownsTables) warn(terminal, 'this role could drop the tables: docs/store.md shows one with fewer rights');
  });
}

const PLACES: Record<'database' | 'bucket' | 'machine', string> = {
  database: 'in the database',
  bucket: 'in the bucket',
  machine: 'only on the machine',
};

function fileLines({ files = [], bucket }: DatabaseStatus): string[] {
  const kept = files.map(({ place, machine, count, bytes }) =>
    [`${count} (${(bytes / 1024 ** 2).toFixed(1)} MB)`, PLACES[place], machine ?? ''].join(' ').trim(),
  );
  const larger =
    bucket === undefined
      ? 'larger ones stay on their machine: no bucket is set'
      : `larger ones go to the bucket ${bucket}`;
  return [`files of conversations: ${kept.join(', ') || 'none'}; ${larger}`];
}
