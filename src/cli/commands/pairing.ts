import type { Command } from 'commander';
import { GATEWAY_CHANNELS, type GatewayChannel } from '../../config/gateway/settings.ts';
import type { Allowed, PairingScope } from '../../gateway/access/pairing.ts';
import type { GatewayAdmin } from '../../gateway/service/gateway-admin.ts';
import { colorsFor } from '../colors.ts';
import { withOutput } from '../flags.ts';
import { localTime } from '../local-time.ts';
import type { ConfigureCommand } from '../program.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';
import { accountFlag, channelFlag, checkAccount } from './gateway/flags.ts';

interface PairingFlags extends OutputFlags {
  channel?: GatewayChannel;
  account?: string;
}

export const configurePairing: ConfigureCommand = (pairing, terminal) => {
  const verb = (name: string, description: string): Command =>
    withOutput(pairing.command(name).description(description).addOption(channelFlag()).addOption(accountFlag()));
  verb('list', 'who waits to be let in, and who was').action((flags: PairingFlags) =>
    withAdmin(flags, terminal, (admin) => list(admin, flags, terminal)),
  );
  verb('approve', 'let in whoever was given this code')
    .argument('<code>')
    .action((code: string, flags: PairingFlags) =>
      withAdmin(flags, terminal, (admin) => approve(code, admin, flags, terminal)),
    );
  verb('revoke', 'no longer let in this sender')
    .argument('<entry>', 'the id of the sender')
    .action((entry: string, flags: PairingFlags) =>
      withAdmin(flags, terminal, (admin) => revoke(entry, admin, flags, terminal)),
    );
};

async function withAdmin(
  flags: PairingFlags,
  terminal: Terminal,
  use: (admin: GatewayAdmin) => Promise<void>,
): Promise<void> {
  wantsJson(terminal, flags);
  checkAccount(flags);
  await withRuntime(terminal, async (runtime) => use(await runtime.gatewayAdmin()));
}

function scopeOf({ channel, account }: PairingFlags): PairingScope {
  return { channels: channel ? [channel] : GATEWAY_CHANNELS, account };
}

async function list(admin: GatewayAdmin, flags: PairingFlags, terminal: Terminal): Promise<void> {
  const pairing = await admin.pairing();
  const [requests, allowed] = await Promise.all([pairing.waiting(scopeOf(flags)), pairing.allowed(scopeOf(flags))]);
  if (wantsJson(terminal, flags)) return writeJson(terminal, { requests, allowed });
  const { bold, dim } = colorsFor(terminal.out, terminal);
  if (requests.length === 0) terminal.out.write('nobody waits\n');
  for (const { channel, account, id, code, meta, lastSeenAt, expiresAt } of requests) {
    const who = meta?.name === undefined ? id : `${meta.name} (${id})`;
    const when = `seen ${localTime(lastSeenAt)}, until ${localTime(expiresAt)}`;
    terminal.out.write(`${bold(code)}  ${channel}/${account}  ${printable(who)}  ${dim(when)}\n`);
  }
  for (const entry of allowed) terminal.out.write(`${dim('let in')}  ${placeOf(entry)}  ${printable(entry.entry)}\n`);
}

async function approve(code: string, admin: GatewayAdmin, flags: PairingFlags, terminal: Terminal): Promise<void> {
  const { allowed, isTold } = await (await admin.pairing()).approve(code, scopeOf(flags));
  if (wantsJson(terminal, flags)) return writeJson(terminal, { approved: allowed, told: isTold });
  const told = isTold ? '; they are told in their chat' : '';
  terminal.out.write(`let in ${printable(allowed.entry)} on ${placeOf(allowed)}${told}\n`);
}

async function revoke(entry: string, admin: GatewayAdmin, flags: PairingFlags, terminal: Terminal): Promise<void> {
  const scope = scopeOf(flags);
  const still = await listedInSettings(entry, admin, scope);
  for (const place of still)
    warn(terminal, `${entry} is in pairingAllowFrom of ${place} too: change it with "lainclaw gateway config set"`);
  const outcome = await (await admin.pairing()).revoke(entry, scope);
  if (wantsJson(terminal, flags)) return writeJson(terminal, { ...outcome, stillAllowedBySettings: still });
  for (const removed of outcome.removed)
    terminal.out.write(`no longer let in: ${printable(entry)} on ${placeOf(removed)}\n`);
  if (outcome.endedRequests > 0) terminal.out.write(`ended the request of ${printable(entry)}\n`);
}

/** A list in the settings lets in as well, whatever the files say. */
async function listedInSettings(
  entry: string,
  admin: GatewayAdmin,
  { channels, account }: PairingScope,
): Promise<string[]> {
  const places = await Promise.all(
    channels.map(async (channel) => {
      const settings = await admin.botSettings(channel as GatewayChannel, account ?? 'default');
      return settings.pairingAllowFrom.includes(entry) ? [channel] : [];
    }),
  );
  return places.flat();
}

function placeOf({ channel, account }: Omit<Allowed, 'entry'>): string {
  return account === undefined ? channel : `${channel}/${account}`;
}
