// argv → cli → exit code. The Node check comes first: this file must load on a Node too old for the rest.
import { ensureNode } from '../bin/ensure-node.js';

declare const __VERSION__: string;

const argv = process.argv.slice(2);
const asksVersion = argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V');

if (ensureNode()) {
  // Scripts ask for the version often; it needs nothing else.
  if (asksVersion) process.stdout.write(`${__VERSION__}\n`);
  else void start();
}

async function start(): Promise<void> {
  const { main } = await import('./cli/main.ts');
  process.exitCode = await main(argv, __VERSION__);
}
