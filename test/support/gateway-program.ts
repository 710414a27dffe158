// The program's gateway commands on a gateway in memory. The local folder's name decides how it behaves: `fails`
// cannot start, `crashes` throws where nobody catches.
import { configureGatewayOn } from '../../src/cli/commands/gateway.ts';
import { main } from '../../src/cli/main.ts';
import { createProcessHost } from '../../src/cli/process-host.ts';
import { openMemoryGateway } from './memory-gateway.ts';

const configure = configureGatewayOn(async (context) => {
  const folder = context
    .settings()
    .bots.map(({ own }) => ('folder' in own ? own.folder : ''))
    .join();
  // With secrets in it, to see that they do not reach the log.
  context.log({ level: 'info', event: 'opened', bots: context.settings().bots });
  if (folder.includes('crashes'))
    setTimeout(() => {
      throw new Error('nobody catches this');
    }, 50);
  return openMemoryGateway(context, {
    starting: async () => {
      if (folder.includes('fails')) throw new Error('the platform refuses the credentials');
    },
  });
});

process.exitCode = await main(process.argv.slice(2), createProcessHost('0.0.0-test'), { gateway: configure });
if (process.exitCode !== 0) process.exit();
