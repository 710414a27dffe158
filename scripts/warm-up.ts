// Runs the program through its main paths once, so that its compiled code is kept for a person's first command (bin/load-bundle.js).
// Of each file a command keeps the functions that its first run compiled: the longest path goes first.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModelServer } from '../test/fakes/model-server/model-server.ts';

const home = mkdtempSync(join(tmpdir(), 'lainclaw-build-'));
const model = await startModelServer({
  script: ({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? { text: 'done' }
      : { text: 'looking', toolCalls: [{ name: 'time_now', args: {} }] },
});
const env = {
  ...process.env,
  LAINCLAW_HOME: home,
  LAINCLAW_BASE_URL: `${model.url}/v1`,
  LAINCLAW_OPENAI_BASE_URL: `${model.url}/v1`,
  LAINCLAW_ANTHROPIC_BASE_URL: model.url,
  LAINCLAW_API_KEY: 'warm-up',
  OPENAI_API_KEY: 'warm-up',
  ANTHROPIC_API_KEY: 'warm-up',
};

try {
  await run('ask', 'hello', '--provider', 'openai-compatible', '--model', 'fake');
  await run('ask', 'hello', '--provider', 'anthropic');
  await run('ask', 'hello', '--provider', 'openai');
  await run('ask', 'hello');
  await run('tools', 'list');
  await run('tools', 'invoke', 'time.now');
  await run('sessions', 'list');
  await run('memory', 'search', 'hello');
  await run('completion', '--complete', 'words', '--', 'lainclaw', 'ask', '--');
  await run('--help');
  await run('--version');
} finally {
  await model.close();
  rmSync(home, { recursive: true });
}

async function run(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, ['bin/lainclaw.js', ...args], { stdio: ['ignore', 'ignore', 'pipe'], env });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`lainclaw ${args.join(' ')} ended with ${code}: ${errors}`);
}
