import type { Command } from 'commander';
import type { Allowed } from '../../gateway/access/pairing.ts';
import { localTime } from '../../lib/local-time.ts';
import { approvePairing, listPairing, revokePairing } from '../../operations/pairing.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { withOutput } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../terminal.ts';

import { accountFlag, channelFlag, checkAccount } from './gateway/flags.ts';

interface PairingFlags extends OutputFlags {
  channel?: string;
  account?: string;
}

export const configurePairing: ConfigureCommand = (pairing, terminal) => {
  const verb = (name: string, description: string): Command =>
    withOutput(pairing.command(name).description(description).addOption(channelFlag()).addOption(accountFlag()));
  verb('list', 'List who waits to be admitted and who was').action((flags: PairingFlags) => list(flags, terminal));
  verb('approve', 'Admit the person who was given this code')
    .argument('<code>')
    .action((code: string, flags: PairingFlags) => approve(code, flags, terminal));
  verb('revoke', 'Remove a person from the lists')
    .argument('<entry>', 'the id of the sender')
    .action((entry: string, flags: PairingFlags) => revoke(entry, flags, terminal));
};

async function list(flags: PairingFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, listPairing, scopeOf(flags), ({ requests, allowed }) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, { requests, allowed });
    const { bold, dim } = colorsFor(terminal.out, terminal);
    if (requests.length === 0) terminal.out.write('nobody waits\n');
    for (const { channel, account, id, code, meta, lastSeenAt, expiresAt } of requests) {
      const who = meta?.name === undefined ? id : `${meta.name} (${id})`;
      const when = `seen ${localTime(lastSeenAt)}, until ${localTime(expiresAt)}`;
      terminal.out.write(`${bold(code)}  ${channel}/${account}  ${printable(who)}  ${dim(when)}\n`);
    }
    for (const entry of allowed)
      terminal.out.write(`${dim('admitted')}  ${placeOf(entry)}  ${printable(entry.entry)}\n`);
  });
}

async function approve(code: string, flags: PairingFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, approvePairing, { code, ...scopeOf(flags) }, ({ approved, told }) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, { approved, told });
    const message = told ? '; they get a message in their chat' : '';
    terminal.out.write(`admitted ${printable(approved.entry)} on ${placeOf(approved)}${message}\n`);
  });
}

async function revoke(entry: string, flags: PairingFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, revokePairing, { entry, ...scopeOf(flags) }, (outcome) => {
    for (const place of outcome.stillAllowedBySettings)
      warn(terminal, `${entry} is in pairingAllowFrom of ${place} too: change it with "lainclaw gateway config set"`);
    if (wantsJson(terminal, flags)) return writeJson(terminal, outcome);
    for (const removed of outcome.removed)
      terminal.out.write(`no longer admitted: ${printable(entry)} on ${placeOf(removed)}\n`);
    if (outcome.endedRequests > 0) terminal.out.write(`ended the request of ${printable(entry)}\n`);
  });
}

function scopeOf(flags: PairingFlags): Pick<PairingFlags, 'channel' | 'account'> {
  checkAccount(flags);
  return { channel: flags.channel, account: flags.account };
}

function placeOf({ channel, account }: Omit<Allowed, 'entry'>): string {
  return account === undefined ? channel : `${channel}/${account}`;
}
