// The question is about this very process's standard input, so it is asked in processes started for it.
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const PROGRAM = `import { isFedByPipeline } from ${JSON.stringify(join(import.meta.dirname, 'pipe-writer.ts'))}; console.log(isFedByPipeline())`;
const ASK = '"$NODE" --input-type=module-typescript -e "$PROGRAM"';

const shell = (script: string): string =>
  execFileSync('/bin/bash', ['--norc', '-c', script], {
    env: { PATH: process.env.PATH, NODE: process.execPath, PROGRAM },
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
  }).trim();

describe('whether the pipeline feeds us', () => {
  it('is so while the command before still writes', () => {
    expect(shell(`(sleep 1; echo x) | ${ASK}`)).toBe('true');
    expect(shell(`(sleep 1; echo x) | cat | ${ASK}`)).toBe('true');
  });

  it('is not so when it has ended', () => {
    expect(shell(`true | (sleep 0.3; ${ASK})`)).toBe('false');
  });

  it('is not so for a pipe held by a process of another group', async () => {
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', PROGRAM], {
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    });
    let said = '';
    for await (const chunk of child.stdout) said += chunk;
    child.stdin.end();
    expect(said.trim()).toBe('false');
  });
});
