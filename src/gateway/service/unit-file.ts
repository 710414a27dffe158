// The file that has the system start the gateway: a systemd user unit, or a launchd agent. Written, never started from here.
import { join } from 'node:path';
import { LASTING_VARIABLES } from '../../config/lasting-process.ts';

export interface UnitOptions {
  platform: 'linux' | 'darwin';
  /** The program and its arguments. */
  command: readonly string[];
  userHome: string;
  /** Of systemd: XDG_CONFIG_HOME. */
  configHome?: string;
  /** Variables that it needs besides the system's own. */
  environment: Readonly<Record<string, string>>;
}

export interface UnitFile {
  path: string;
  text: string;
  /** Commands for the owner to run next, and to run before the file is removed. */
  start: string[];
  stop: string[];
}

const LABEL = 'dev.lainclaw.gateway';
const UNIT = 'lainclaw-gateway.service';

export function unitFile(options: UnitOptions): UnitFile {
  return options.platform === 'darwin' ? launchdAgent(options) : systemdUnit(options);
}

function systemdUnit({ command, userHome, configHome, environment }: UnitOptions): UnitFile {
  const variables = Object.entries({ ...environment, ...LASTING_VARIABLES }).map(
    ([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}`,
  );
  const text = [
    '[Unit]',
    'Description=Lainclaw gateway',
    'Wants=network-online.target',
    'After=network-online.target',
    '',
    '[Service]',
    'Type=simple',
    `ExecStart=${command.map(systemdCommandWord).join(' ')}`,
    ...variables,
    'Restart=on-failure',
    'RestartSec=5',
    // Longer than the drain.
    'TimeoutStopSec=40',
    'UMask=0077',
    'NoNewPrivileges=true',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
  return {
    path: join(configHome || join(userHome, '.config'), 'systemd', 'user', UNIT),
    text,
    start: ['systemctl --user daemon-reload', `systemctl --user enable --now ${UNIT}`],
    stop: [`systemctl --user disable --now ${UNIT}`],
  };
}

/** Quoted as systemd reads it; % and line ends would mean something else. */
function systemdWord(word: string): string {
  const escaped = word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('\n', '\\n');
  return `"${escaped}"`;
}

/** In a command, $ as well. */
function systemdCommandWord(word: string): string {
  return systemdWord(word.replaceAll('$', '$$$$'));
}

function launchdAgent({ command, userHome, environment }: UnitOptions): UnitFile {
  const path = join(userHome, 'Library', 'LaunchAgents', `${LABEL}.plist`);
  const variables = Object.entries(environment).flatMap(([name, value]) => [
    `    <key>${xml(name)}</key>`,
    `    <string>${xml(value)}</string>`,
  ]);
  const text = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    '  <key>Label</key>',
    `  <string>${LABEL}</string>`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...command.map((word) => `    <string>${xml(word)}</string>`),
    '  </array>',
    ...(variables.length > 0 ? ['  <key>EnvironmentVariables</key>', '  <dict>', ...variables, '  </dict>'] : []),
    '  <key>RunAtLoad</key>',
    '  <true/>',
    '  <key>KeepAlive</key>',
    '  <dict>',
    '    <key>SuccessfulExit</key>',
    '    <false/>',
    '  </dict>',
    '  <key>Umask</key>',
    '  <integer>63</integer>',
    '  <key>ExitTimeOut</key>',
    '  <integer>40</integer>',
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
  return {
    path,
    text,
    start: [`launchctl load -w ${shellWord(path)}`],
    stop: [`launchctl unload -w ${shellWord(path)}`],
  };
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function shellWord(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
