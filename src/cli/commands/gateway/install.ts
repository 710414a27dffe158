import { mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../../config/config-error.ts';
import { type UnitFile, unitFile } from '../../../gateway/service/unit-file.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import { CommandError } from '../../command-error.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../../terminal.ts';
import { settingsIn } from './flags.ts';
import { chooseChannels, type StartFlags, startArguments } from './start.ts';

export async function install(runtime: Runtime, flags: StartFlags, terminal: Terminal): Promise<void> {
  const admin = await runtime.gatewayAdmin();
  const { settingsFile, resolve } = admin;
  const channels = await chooseChannels(admin, flags, terminal);
  const unit = unitHere(terminal, startArguments(channels, flags));
  await resolve(settingsIn(flags), channels).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    warn(terminal, `it will not start before this is done:\n${error.message}`);
  });
  // The system starts it with an environment of its own.
  if (JSON.stringify(await settingsFile.read()).includes('{"env":'))
    warn(terminal, 'gateway.json takes secrets from variables, which the service will not have: use {"file":"path"}');
  const before = await readFile(unit.path, 'utf8').catch(() => undefined);
  await mkdir(dirname(unit.path), { recursive: true });
  await writeFile(unit.path, unit.text, { mode: 0o600 });
  if (wantsJson(terminal, flags))
    return writeJson(terminal, { path: unit.path, replaced: before !== undefined, next: unit.start });
  terminal.out.write(`${before === undefined ? 'wrote' : 'replaced'} ${printable(unit.path)}\nnext:\n`);
  for (const command of unit.start) terminal.out.write(`  ${command}\n`);
}

export async function uninstall(flags: OutputFlags, terminal: Terminal): Promise<void> {
  const unit = unitHere(terminal, []);
  try {
    await unlink(unit.path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new CommandError('NOT_INSTALLED', `there is no ${unit.path}: nothing was installed`);
  }
  if (wantsJson(terminal, flags)) return writeJson(terminal, { removed: unit.path, next: unit.stop });
  terminal.out.write(`removed ${printable(unit.path)}\nif it runs still:\n`);
  for (const command of unit.stop) terminal.out.write(`  ${command}\n`);
}

function unitHere(
  { environment: { home, userHome, variables, program } }: Terminal,
  args: readonly string[],
): UnitFile {
  const { platform } = process;
  if (platform !== 'linux' && platform !== 'darwin')
    throw new CommandError('UNSUPPORTED_PLATFORM', 'only systemd and launchd are supported: start it with --daemon');
  return unitFile({
    platform,
    command: [...program, ...args],
    userHome,
    configHome: variables.XDG_CONFIG_HOME,
    environment: home === join(userHome, '.lainclaw') ? {} : { LAINCLAW_HOME: home },
  });
}
