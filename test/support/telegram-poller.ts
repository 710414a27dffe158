// A process with the Telegram channel in it, for tests that kill it: prints the id of each message, and dies by SIGKILL
// where it is told to.
import type { IncomingMessage } from '../../src/channels/channel.ts';
import { createTelegramChannel } from '../../src/channels/telegram/telegram-channel.ts';

const [apiRoot = '', botToken = '', dies = ''] = process.argv.slice(2);
const channel = createTelegramChannel({ account: 'default', botToken, apiRoot, mode: 'polling', now: Date.now });

async function receive({ id }: IncomingMessage): Promise<void> {
  await new Promise<void>((resolve) => {
    process.stdout.write(`${id}\n`, () => resolve());
  });
  if (dies === 'after-receive') process.kill(process.pid, 'SIGKILL');
}

await channel.connect(receive, new AbortController().signal);
process.once('SIGTERM', () => void channel.close().then(() => process.exit()));
