import { stopGateway } from '../../../operations/gateway.ts';
import { restartGateway } from '../../../operations/gateway-restart.ts';
import { runOperation } from '../../run-operation.ts';
import { type OutputFlags, type Terminal, wantsJson, writeJson } from '../../terminal.ts';
import { tell } from './start.ts';

export interface StopFlags extends OutputFlags {
  channel?: string;
}

export interface RestartFlags extends OutputFlags {
  setUp?: boolean;
}

export async function stop(flags: StopFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, stopGateway, { channel: flags.channel }, (done) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, done);
    if (!done.stopped) return void terminal.out.write(`${flags.channel ?? 'the gateway'} was not running\n`);
    if ('channel' in done)
      return void terminal.out.write(`${done.channel} is stopped; running: ${done.running.join(', ')}\n`);
    const how = done.how === 'killed' ? ', by force: it did not end by itself' : '';
    terminal.out.write(`stopped (pid ${done.pid})${how}\n`);
  });
}

export async function restart(flags: RestartFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, restartGateway, { setUp: flags.setUp }, (state) => tell(state, flags, terminal));
}
