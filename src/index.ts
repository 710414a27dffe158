// argv → cli → exit code. The Node check comes first: this file must load on a Node too old for the rest.
import { writeSync } from 'node:fs';

declare const __VERSION__: string;

const SURELY_RECENT = 23;
const argv = process.argv.slice(2);

if (Number.parseInt(process.versions.node, 10) >= SURELY_RECENT) void start();
else void import('../bin/ensure-node.js').then(({ ensureNode }) => (ensureNode() ? start() : undefined));

async function start(): Promise<void> {
  // Scripts ask for the version often; it needs nothing else.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    writeSync(1, `${__VERSION__}\n`);
    return;
  }
  const [{ main }, { createProcessHost }] = await Promise.all([
    import('./cli/main.ts'),
    import('./cli/process-host.ts'),
  ]);
  process.exitCode = await main(argv, createProcessHost(__VERSION__));
}
