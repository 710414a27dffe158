import { installGateway, uninstallGateway } from '../../../operations/gateway.ts';
import { runOperation } from '../../run-operation.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, writeJson } from '../../terminal.ts';
import { settingsIn } from './flags.ts';
import type { StartFlags } from './start.ts';

export async function install(flags: StartFlags, terminal: Terminal): Promise<void> {
  const input = { channels: flags.channel, settings: settingsIn(flags) };
  await runOperation(terminal, installGateway, input, (done) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, done);
    terminal.out.write(`${done.replaced ? 'replaced' : 'wrote'} ${printable(done.path)}\nnext:\n`);
    for (const command of done.next) terminal.out.write(`  ${command}\n`);
  });
}

export async function uninstall(flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, uninstallGateway, {}, (done) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, done);
    terminal.out.write(`removed ${printable(done.removed)}\nif it still runs:\n`);
    for (const command of done.next) terminal.out.write(`  ${command}\n`);
  });
}
