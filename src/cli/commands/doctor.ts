import { checkInstallation, repairInstallation } from '../../operations/doctor.ts';
import type { OutputOf } from '../../operations/operation.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { json, plainText } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { EXIT, type OutputFlags, printable, type Terminal, wantsJson, writeJson } from '../terminal.ts';

type Check = OutputOf<typeof checkInstallation>['checks'][number];

export const configureDoctor: ConfigureCommand = (doctor, terminal, setExitCode) => {
  doctor
    .option('--fix', 'repair damaged files of the home; what is replaced is kept in a folder of its own')
    .addOption(json())
    .addOption(plainText())
    .action((flags: OutputFlags & { fix?: boolean }) => {
      if (flags.fix) return repair(flags, terminal, setExitCode);
      const show = ({ healthy, checks }: OutputOf<typeof checkInstallation>): void => {
        if (wantsJson(terminal, flags)) writeJson(terminal, { healthy, checks });
        else for (const check of checks) showCheck(check, terminal);
        setExitCode(healthy ? EXIT.done : EXIT.failed);
      };
      return runOperation(terminal, checkInstallation, {}, show, { ignoreBadConfig: true });
    });
};

async function repair(flags: OutputFlags, terminal: Terminal, setExitCode: (code: number) => void): Promise<void> {
  const show = (result: OutputOf<typeof repairInstallation>): void => {
    const { repaired, left, healthy } = result;
    setExitCode(healthy ? EXIT.done : EXIT.failed);
    if (wantsJson(terminal, flags)) {
      writeJson(terminal, result);
      return;
    }
    const { green, red } = colorsFor(terminal.out, terminal);
    for (const { path, done, isRepaired } of repaired)
      terminal.out.write(`${isRepaired ? green('✓') : red('✗')} ${printable(path)}: ${printable(done)}\n`);
    for (const { path, problem } of left) terminal.out.write(`${red('✗')} ${printable(path)} ${printable(problem)}\n`);
    if (repaired.length === 0 && healthy) terminal.out.write(`${green('✓')} no file of the home is damaged\n`);
  };
  await runOperation(terminal, repairInstallation, {}, show, { ignoreBadConfig: true });
}

function showCheck({ name, state, message, fix }: Check, terminal: Terminal): void {
  const { green, yellow, red, bold, dim } = colorsFor(terminal.out, terminal);
  const mark = { ok: green('✓'), advice: yellow('!'), problem: red('✗') }[state];
  terminal.out.write(`${mark} ${bold(name.padEnd(10))} ${printable(message)}\n`);
  if (fix && state !== 'ok') terminal.out.write(`  ${dim(`fix: ${printable(fix)}`)}\n`);
}
