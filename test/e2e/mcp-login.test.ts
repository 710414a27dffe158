// Signing in to an MCP server through the built binary, with this test as the browser.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSignInServer } from '../fakes/mcp/sign-in-server.ts';
import type { Home } from '../support/home.ts';
import { type Finished, lainclaw, startLainclaw } from '../support/lainclaw.ts';
import { filesHolding } from '../support/model-providers.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const whisper = (home: Home): Promise<Finished> =>
  lainclaw(['tools', 'invoke', 'mcp__private__whisper', '--approve', 'auto'], { home });

async function login(home: Home): Promise<Finished> {
  const running = startLainclaw(['mcp', 'login', 'private'], { home });
  await running.saw('code_challenge=');
  const [url = ''] = /http:\S+\/authorize\S+/.exec(running.said()) ?? [];
  const stranger = new URL(new URL(url).searchParams.get('redirect_uri') ?? '');
  stranger.search = '?code=mine&state=guessed';
  expect((await fetch(stranger)).status).toBe(404);
  expect((await fetch(url)).status).toBe(200);
  return running.ended;
}

describe('a server that wants a sign-in', () => {
  it('says how, takes one, has it renewed, and asks for it again when it has run out', async () => {
    const server = await startSignInServer();
    afterFile(() => server.close());
    const home = testHome();
    const added = await lainclaw(['mcp', 'add', 'private', '--url', server.url], { home });
    expect(added.stderr).toContain('the server "private" needs a sign-in: lainclaw mcp login private');

    const signedIn = await login(home);
    expect(signedIn.json<unknown>()).toEqual({ name: 'private', outcome: 'signed-in', tools: 1 });
    expect(statSync(join(home.path, 'mcp-auth.json')).mode & 0o777).toBe(0o600);
    expect((await whisper(home)).stdout).toContain('psst');

    server.expire('access');
    expect((await whisper(home)).stdout).toContain('psst');
    expect(server.issued).toHaveLength(2);

    server.expire('refresh');
    const refused = await whisper(home);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('lainclaw mcp login private')]);

    await login(home);
    const last = await whisper(home);
    expect(last.stdout).toContain('psst');
    for (const { access, refresh } of server.issued) {
      for (const { stdout, stderr } of [added, signedIn, refused, last]) {
        expect(stdout + stderr).not.toContain(access);
        expect(stdout + stderr).not.toContain(refresh);
      }
      for (const secret of [access, refresh])
        expect(filesHolding(home.path, secret).filter((name) => name !== 'mcp-auth.json')).toEqual([]);
    }

    await lainclaw(['mcp', 'logout', 'private'], { home });
    expect(readFileSync(join(home.path, 'mcp-auth.json'), 'utf8')).not.toContain('access-');
    expect((await whisper(home)).code).toBe(1);
  });

  it('has its tokens sent nowhere else, also under the same name', async () => {
    const [first, second] = [await startSignInServer(), await startSignInServer()];
    afterFile(() => [first, second].forEach((server) => void server.close()));
    const home = testHome();
    await lainclaw(['mcp', 'add', 'private', '--url', first.url], { home });
    await login(home);
    await lainclaw(['mcp', 'add', 'private', '--url', second.url, '--force'], { home });
    await whisper(home);
    expect(second.carried.length).toBeGreaterThan(0);
    expect(second.carried.filter(Boolean)).toEqual([]);
  });

  it('ends with Ctrl-C while nobody comes back, and is not mistaken for one that wants none', async () => {
    const server = await startSignInServer();
    afterFile(() => server.close());
    const home = testHome();
    await lainclaw(['mcp', 'add', 'private', '--url', server.url], { home });
    const running = startLainclaw(['mcp', 'login', 'private'], { home });
    await running.saw('code_challenge=');
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    await lainclaw(['mcp', 'add', 'program', '--', 'true'], { home });
    const program = await lainclaw(['mcp', 'login', 'program'], { home });
    expect([program.code, program.stderr]).toEqual([1, expect.stringContaining('is a program: it needs no sign-in')]);
    expect((await lainclaw(['mcp', 'login', 'privat'], { home })).stderr).toContain('did you mean private?');
  });
});
