import { checkInstallation } from '../../operations/doctor.ts';
import type { OutputOf } from '../../operations/operation.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { json, plainText } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { EXIT, type OutputFlags, printable, type Terminal, wantsJson, writeJson } from '../terminal.ts';

type Check = OutputOf<typeof checkInstallation>['checks'][number];

export const configureDoctor: ConfigureCommand = (doctor, terminal, setExitCode) => {
  doctor
    .addOption(json())
    .addOption(plainText())
    .action((flags: OutputFlags) => {
      const show = ({ healthy, checks }: OutputOf<typeof checkInstallation>): void => {
        if (wantsJson(terminal, flags)) writeJson(terminal, { healthy, checks });
        else for (const check of checks) showCheck(check, terminal);
        setExitCode(healthy ? EXIT.done : EXIT.failed);
      };
      return runOperation(terminal, checkInstallation, {}, show, { ignoreBadConfig: true });
    });
};

function showCheck({ name, state, message, fix }: Check, terminal: Terminal): void {
  const { green, yellow, red, bold, dim } = colorsFor(terminal.out, terminal);
  const mark = { ok: green('✓'), advice: yellow('!'), problem: red('✗') }[state];
  terminal.out.write(`${mark} ${bold(name.padEnd(10))} ${printable(message)}\n`);
  if (fix && state !== 'ok') terminal.out.write(`  ${dim(`fix: ${printable(fix)}`)}\n`);
}
