import type { OutputOf } from '../../operations/operation.ts';
import { runSelftest } from '../../operations/selftest.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { json, plainText } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { EXIT, type OutputFlags, printable, wantsJson, writeJson } from '../terminal.ts';

export const configureSelftest: ConfigureCommand = (selftest, terminal, setExitCode) => {
  selftest
    .addOption(json())
    .addOption(plainText())
    .action((flags: OutputFlags) => {
      const show = ({ passed, checks }: OutputOf<typeof runSelftest>): void => {
        const { green, yellow, red, bold } = colorsFor(terminal.out, terminal);
        const marks = { ok: green('✓'), advice: yellow('!'), problem: red('✗') };
        if (wantsJson(terminal, flags)) writeJson(terminal, { passed, checks });
        else
          for (const { name, state, message } of checks)
            terminal.out.write(`${marks[state]} ${bold(name.padEnd(10))} ${printable(message)}\n`);
        setExitCode(passed ? EXIT.done : EXIT.failed);
      };
      return runOperation(terminal, runSelftest, {}, show);
    });
};
