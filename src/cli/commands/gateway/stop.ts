import { HOW_TO_START } from '../../../gateway/service/service-error.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import { CommandError } from '../../command-error.ts';
import { type OutputFlags, type Terminal, wantsJson, writeJson } from '../../terminal.ts';
import { flagsOf, flagsOfChannels } from './flags.ts';
import { startInBackground, tell } from './start.ts';

export async function stop(runtime: Runtime, flags: OutputFlags, terminal: Terminal): Promise<void> {
  const { states } = await runtime.gatewayAdmin();
  const { stopService } = await import('../../../gateway/service/stop-service.ts');
  const outcome = await stopService({ states, signal: terminal.signal });
  if (wantsJson(terminal, flags))
    return writeJson(
      terminal,
      outcome.stopped
        ? { stopped: true, pid: outcome.state.pid, how: outcome.how }
        : { stopped: false, reason: 'it was not running' },
    );
  if (!outcome.stopped) return void terminal.out.write('the gateway was not running\n');
  const how = outcome.how === 'killed' ? ', by force: it did not end by itself' : '';
  terminal.out.write(`stopped (pid ${outcome.state.pid})${how}\n`);
}

export async function restart(runtime: Runtime, flags: OutputFlags, terminal: Terminal): Promise<void> {
  const admin = await runtime.gatewayAdmin();
  const state = await admin.states.read();
  if (!state) throw new CommandError('GATEWAY_NOT_RUNNING', `the gateway was not running: ${HOW_TO_START}`);
  const { stopService } = await import('../../../gateway/service/stop-service.ts');
  await stopService({ states: admin.states, signal: terminal.signal });
  const args = ['gateway', 'start', ...flagsOfChannels(state.channels), ...flagsOf(state.flags)];
  tell(await startInBackground(admin, args, terminal), flags, terminal);
}
