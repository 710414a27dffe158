import { restartGateway, stopGateway } from '../../../operations/gateway.ts';
import { runOperation } from '../../run-operation.ts';
import { type OutputFlags, type Terminal, wantsJson, writeJson } from '../../terminal.ts';
import { tell } from './start.ts';

export async function stop(flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, stopGateway, {}, (done) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, done);
    if (!done.stopped) return void terminal.out.write('the gateway was not running\n');
    const how = done.how === 'killed' ? ', by force: it did not end by itself' : '';
    terminal.out.write(`stopped (pid ${done.pid})${how}\n`);
  });
}

export async function restart(flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, restartGateway, {}, (state) => tell(state, flags, terminal));
}
