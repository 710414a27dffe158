import { localTime } from '../../lib/local-time.ts';
import { endProcess, listProcesses } from '../../operations/processes.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { withOutput } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, writeJson } from '../terminal.ts';

export const configurePs: ConfigureCommand = (ps, terminal) => {
  withOutput(ps).action((flags: OutputFlags) => list(flags, terminal));
  withOutput(
    ps
      .command('end')
      .description('End a command, with everything that it started')
      .argument('<id>', 'its id, or the beginning of it'),
  ).action((id: string, _flags: OutputFlags, command: { optsWithGlobals(): OutputFlags }) =>
    end(id, command.optsWithGlobals(), terminal),
  );
};

async function list(flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, listProcesses, {}, (found) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, found);
    const { dim } = colorsFor(terminal.out, terminal);
    if (found.length === 0) terminal.out.write('no command runs in the background\n');
    for (const { id, command, sessionKey, startedAt } of found) {
      const where = `${sessionKey === undefined ? '' : `${printable(sessionKey)}, `}since ${localTime(startedAt)}`;
      terminal.out.write(`${id}  ${printable(command.split('\n')[0] ?? '')}  ${dim(where)}\n`);
    }
  });
}

async function end(id: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, endProcess, { id }, (ended) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, ended);
    terminal.out.write(`ended: ${ended.id}\n`);
  });
}
