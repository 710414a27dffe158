// Runs the program through its main paths once, so that its compiled code is kept for a person's first command (bin/load-bundle.js).
// Of each file a command keeps the functions that its first run compiled: the longest path goes first.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModelServer } from '../test/fakes/model-server/model-server.ts';

/** From the second on they run in prepared sandboxes. Where there is no sandbox, they are refused, and that path is kept. */
const COMMANDS = ['ls', 'ls', 'touch made', 'touch changed'];

const home = mkdtempSync(join(tmpdir(), 'lainclaw-build-'));
const model = await startModelServer({
  script: ({ messages }) => {
    const done = messages.filter(({ role }) => role === 'tool').length;
    const question = messages.findLast(({ role }) => role === 'user')?.text ?? '';
    const commands = question.includes('commands') ? COMMANDS : [];
    const command = commands[done];
    if (command !== undefined) return { toolCalls: [{ name: 'bash', args: { command } }] };
    if (done > commands.length) return { text: 'done' };
    return { text: 'looking', toolCalls: [{ name: 'time_now', args: {} }] };
  },
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
  const workspace = join(home, 'workspace');
  mkdirSync(workspace);
  await run(
    ...['ask', 'commands', '--provider', 'openai-compatible', '--model', 'fake'],
    ...['--approve', 'auto', '--workspace', workspace, '--tool-max-steps', '10'],
  );
  if (model.requests.length < COMMANDS.length + 2) throw new Error('the turn ended before its last command');
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
