import { localTime } from '../../lib/local-time.ts';
import { addTrust, approveFiles, listTrust, removeTrust } from '../../operations/trust.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { withOutput } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, writeJson } from '../terminal.ts';

export const configureTrust: ConfigureCommand = (trust, terminal) => {
  withOutput(trust.command('list').description('List the folders whose instructions are followed')).action(
    (flags: OutputFlags) => list(flags, terminal),
  );
  withOutput(
    trust.command('add').description('Follow the instructions (AGENTS.md) of a folder').argument('<folder>'),
  ).action((folder: string, flags: OutputFlags) => add(folder, flags, terminal));
  withOutput(
    trust.command('remove').description('Stop following the instructions of a folder').argument('<folder>'),
  ).action((folder: string, flags: OutputFlags) => remove(folder, flags, terminal));
  withOutput(
    trust
      .command('approve')
      .description('Count what a tainted conversation wrote as your own')
      .argument('<path>', 'a file, or a folder with all below it'),
  ).action((path: string, flags: OutputFlags) => approve(path, flags, terminal));
};

async function list(flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, listTrust, {}, (found) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, found);
    const { dim } = colorsFor(terminal.out, terminal);
    if (found.folders.length === 0)
      terminal.out.write(
        'no folder is trusted: lainclaw trust add <folder>, or answer the question of lainclaw chat\n',
      );
    for (const { folder, grantedAt } of found.folders)
      terminal.out.write(`${printable(folder)}  ${dim(`since ${localTime(grantedAt)}`)}\n`);
    for (const folder of found.declined) terminal.out.write(`${printable(folder)}  ${dim('declined')}\n`);
  });
}

async function add(folder: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, addTrust, { folder }, (added) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, added);
    terminal.out.write(`${added.added ? 'trusted' : 'already trusted'}: ${printable(added.folder)}\n`);
  });
}

async function remove(folder: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, removeTrust, { folder }, (removed) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, removed);
    terminal.out.write(`no longer trusted: ${printable(removed.folder)}\n`);
  });
}

async function approve(path: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, approveFiles, { path }, (done) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, done);
    const what = done.approved === 0 ? 'nothing to approve' : 'approved';
    terminal.out.write(`${what}: ${printable(done.path)}\n`);
  });
}
