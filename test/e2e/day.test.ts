// A day with Lainclaw: one person, one home, one model server; each step is a line of the day and goes on where the one before
// ended. Later lines are added as further steps, in the order of the day.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import { startNpmRegistry } from '../fakes/npm-registry.ts';
import { startOnScreen } from '../support/chat-terminal.ts';
import { eventually } from '../support/eventually.ts';
import { lainclaw, runBinary, terminal } from '../support/lainclaw.ts';
import { KEY } from '../support/model-providers.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const ENTER = '\r';
const ALONE = { OLLAMA_HOST: 'http://127.0.0.1:9', SHELL: '/bin/bash' };

describe('a day', () => {
  const home = testHome();
  let server: ModelServer;
  const env = (): Record<string, string> => ({
    ...ALONE,
    ANTHROPIC_API_KEY: KEY,
    LAINCLAW_ANTHROPIC_BASE_URL: server.url,
  });

  it('08:00 the first command answers, and says how to connect a model', async () => {
    const { code, stdout } = await terminal(['ask', 'hello'], { home, env: ALONE });
    expect([code, stdout]).toEqual([0, expect.stringContaining('lainclaw setup')]);
    expect(stdout).toContain('No model is connected');
  });

  it('08:02 "lainclaw" finds the key in the environment, tries it, and is done after three answers', async () => {
    server = await startModelServer({
      script: () => ({ text: 'Noted.' }),
      accept: (token) => token === KEY,
      models: ['claude-sonnet-5'],
    });
    afterFile(() => server.close());
    const screen = startOnScreen([], { home, env: env(), rows: 60, columns: 110 });
    await screen.shows('Anthropic: the key in ANTHROPIC_API_KEY');
    await screen.type(ENTER);
    await screen.shows('anthropic/claude-sonnet-5 answers');
    await screen.shows('Which language');
    await screen.type(ENTER);
    await screen.shows('What else?');
    await screen.type(ENTER);
    expect((await screen.ended).code).toBe(0);
  });

  it('08:04 what it is told, it still knows in another process', async () => {
    const told = 'my name is Ada, I work on the payments service, answer in short sentences';
    expect((await lainclaw(['ask', told], { home, env: env() })).json()).toMatchObject({ result: 'Noted.' });
    const asked = await runBinary(['ask', 'what is my name?'], { home, env: env() });
    expect(asked.code).toBe(0);
    const { body } = server.requests.at(-1) ?? {};
    expect(JSON.stringify(body)).toContain('my name is Ada, I work on the payments service');
  });

  it('08:10 in a project "lainclaw" asks once whether to trust its AGENTS.md', async () => {
    const project = join(home.base, 'project');
    mkdirSync(join(project, '.git'), { recursive: true });
    writeFileSync(join(project, 'AGENTS.md'), 'Money is rounded half to even.\n');
    const options = { home, env: env(), cwd: project };
    const first = startOnScreen([], options);
    await first.shows('AGENTS.md?');
    // The keys are taken once they are offered.
    await first.shows('[y] yes');
    await first.type('y');
    await first.shows('→ yes');
    await first.type(`how is money rounded?${ENTER}`);
    await first.shows('Noted.');
    await first.type('\x04');
    expect((await first.ended).code).toBe(0);
    const { body } = server.requests.findLast(({ dialect }) => dialect !== undefined) ?? {};
    expect(JSON.stringify(body)).toContain('Money is rounded half to even.');
    const second = startOnScreen([], options);
    await second.shows('claude-sonnet-5');
    await second.type(`and now?${ENTER}`);
    await second.shows(/and now\?[\s\S]*Noted\./);
    expect(await second.everything()).not.toContain('Trust this folder');
    await second.type('\x04');
    expect((await second.ended).code).toBe(0);
  });

  it('08:25 "install the missing package" asks for the network with the host’s name, once', async () => {
    const project = join(home.base, 'project');
    const registry = await startNpmRegistry([{ name: 'small', files: { 'index.js': 'module.exports = 1;\n' } }]);
    afterFile(() => registry.close());
    writeFileSync(join(project, '.npmrc'), `registry=${registry.url}\n`);
    writeFileSync(join(project, 'package.json'), '{"name":"project","version":"1.0.0"}\n');
    const command = 'npm install small --no-audit --no-fund';
    server.setScript(({ messages }) =>
      JSON.stringify(messages.at(-1)).includes('missing package')
        ? { toolCalls: [{ name: 'bash', args: { command, timeoutMs: 120_000 } }] }
        : { text: 'It is installed.' },
    );
    const screen = startOnScreen(['chat'], { home, env: env(), cwd: project, rows: 40, columns: 110 });
    await screen.shows('claude-sonnet-5');
    await screen.type(`install the missing package${ENTER}`);
    await screen.shows(`and reach ${registry.host}?`);
    await screen.shows('[s] this session');
    await screen.type('s');
    await screen.shows('It is installed.');
    expect(existsSync(join(project, 'node_modules/small/index.js'))).toBe(true);
    await screen.type(`the missing package again${ENTER}`);
    await screen.shows(/package again[\s\S]*It is installed\./);
    expect((await screen.everything()).match(/and reach/g)).toHaveLength(1);
    await screen.type('\x04');
    expect((await screen.ended).code).toBe(0);
  });

  it('08:30 a correction that is typed while it works is taken up after the running call', async () => {
    const project = join(home.base, 'project');
    server.setScript(({ messages }) => {
      if (JSON.stringify(messages.at(-1)).includes('half up')) return { text: 'Half up it is.' };
      const command = 'touch begun; while [ ! -e go-on ]; do sleep 0.05; done; echo rounded';
      return { text: 'I round half to even.', toolCalls: [{ name: 'bash', args: { command } }] };
    });
    const screen = startOnScreen(['chat', '--approve', 'auto'], { home, env: env(), cwd: project });
    await screen.shows('claude-sonnet-5');
    await screen.type(`round the totals${ENTER}`);
    await eventually(() => expect(existsSync(join(project, 'begun'))).toBe(true));
    await screen.type(`no, half up${ENTER}`);
    await screen.shows('joins this turn: no, half up');
    writeFileSync(join(project, 'go-on'), '');
    await screen.shows('Half up it is.');
    expect(await screen.screen()).toMatch(/✓ bash [\s\S]*› no, half up[\s\S]*Half up it is\./);
    await screen.type('\x04');
    expect((await screen.ended).code).toBe(0);
    const { body } = server.requests.findLast(({ dialect }) => dialect !== undefined) ?? {};
    expect(JSON.stringify(body)).toMatch(/round the totals.*rounded.*no, half up/);
    server.setScript(() => ({ text: 'Noted.' }));
  });
});
