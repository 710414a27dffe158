// Sub-agents through the built binary: definitions, `task` within a turn, runs in the background.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { eventually } from '../support/eventually.ts';
import type { Home } from '../support/home.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { type Model, modelFor } from '../support/model-providers.ts';
import { testHome } from '../support/test-home.ts';

const definition = (name: string, more = 'tools: all', body = `You are ${name}.`): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${more}\n---\n\n${body}\n`;

function ownAgent(home: Home, name: string, text: string): void {
  mkdirSync(join(home.path, 'agents'), { recursive: true });
  writeFileSync(join(home.path, 'agents', `${name}.md`), text);
}

const task = (agent: string, prompt: string) => ({ name: 'task', args: { agent, prompt } });
const asks =
  (text: string) =>
  (request: NeutralRequest): boolean =>
    request.messages.some((message) => message.role === 'user' && message.text === text);
const lastResult = (request: NeutralRequest): string =>
  request.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : [])).at(-1) ?? '';

interface Run {
  id: string;
  name: string;
  state: string;
  result?: string;
  error?: string;
}

async function runsOf({ home, env }: Pick<Model, 'home' | 'env'>): Promise<Run[]> {
  return (await lainclaw(['agents', 'status'], { home, env })).json<{ runs: Run[] }>().runs;
}

const ended = async (model: Pick<Model, 'home' | 'env'>, state: string): Promise<Run> =>
  eventually(async () => {
    const [run] = await runsOf(model);
    expect(run?.state).toBe(state);
    return run as Run;
  });

describe('definitions', () => {
  it('come built in, from the home and from the workspace; later ones win, unusable ones are named', async () => {
    const home = testHome();
    ownAgent(home, 'explore', definition('explore', 'tools: [grep]'));
    ownAgent(home, 'mine', definition('mine', 'model: small'));
    ownAgent(home, 'broken', definition('broken', 'tool: all'));
    home.file('.lainclaw/agents/mine.md', definition('mine', 'tools: [glob]'));
    home.file('.lainclaw/agents/empty.md', '---\nname: empty\ndescription: d\n---\n');
    const { code, stderr, json } = await lainclaw(['agents', 'list'], { home });
    expect(code).toBe(0);
    const { agents, problems } = json<{ agents: { name: string }[]; problems: { path: string; reason: string }[] }>();
    expect(agents).toMatchObject([
      { name: 'explore', source: 'home', tools: ['grep'] },
      { name: 'general', source: 'builtin' },
      { name: 'mine', source: 'workspace', tools: ['glob'], path: '.lainclaw/agents/mine.md' },
      { name: 'review', source: 'builtin' },
    ]);
    expect(problems.map(({ reason }) => reason)).toEqual([
      '"tool" is not a setting (did you mean "tools"?)',
      'it has no instructions: write them below the front matter',
    ]);
    expect(stderr).toContain('broken.md cannot be used');
  });
});

describe('task', () => {
  it('waits for the sub-agent, which has its own context and only its tools, and shows what it does', async () => {
    const model = await modelFor('openai-compatible', []);
    model.home.file('a.txt', 'alpha\n');
    ownAgent(model.home, 'reader', definition('reader', 'tools: [fs.read_file, no_such_tool]'));
    model.follow((request): Reply => {
      if (asks('what does a.txt say?')(request)) {
        const result = lastResult(request);
        return result
          ? { text: `it says ${result}` }
          : { toolCalls: [{ name: 'fs_read_file', args: { path: 'a.txt' } }] };
      }
      const result = lastResult(request);
      return result ? { text: `The agent: ${result}` } : { toolCalls: [task('reader', 'what does a.txt say?')] };
    });
    const { stdout } = await model.startOnTerminal('Ask reader.').ended;
    expect(stdout).toContain('The agent: it says');
    expect(stdout).toContain('reader: ✓ fs.read_file');
    const child = model.asked.find(asks('what does a.txt say?'));
    expect(child?.tools.map(({ name }) => name)).toEqual(['fs_read_file']);
    expect(child?.system.join('\n')).toContain('You are reader.');
    expect(JSON.stringify(child?.messages)).not.toContain('Ask reader.');
    expect(model.home.lines('main').filter(({ type }) => type === 'tool-call')).toHaveLength(1);
  });

  it('its session is kept and shown by its id, and never listed, also when the index is made again', async () => {
    const model = await modelFor('openai-compatible', []);
    ownAgent(model.home, 'helper', definition('helper'));
    model.follow((request): Reply => {
      if (asks('help me')(request)) return { text: 'helped' };
      const result = lastResult(request);
      return result ? { text: 'done' } : { toolCalls: [task('helper', 'help me')] };
    });
    const { home, env } = model;
    await model.startOnTerminal('Ask helper.').ended;
    const run = (...args: string[]) => lainclaw(args, { home, env });
    const keys = async () => (await run('sessions', 'list')).json<{ sessionKey: string }[]>();
    expect(await keys()).toMatchObject([{ sessionKey: 'main' }]);
    expect(Object.keys(home.index().sessions)).toEqual(['main']);
    const [call] = home.lines().filter((line) => line.type === 'tool-result');
    const { session: sessionId = '' } = (call?.meta ?? {}) as { session?: string };
    const shown = (await run('sessions', 'show', sessionId)).json<{ messages: { content: string }[] }>();
    expect(shown.messages.map(({ content }) => content)).toEqual(['help me', 'helped']);
    const all = (await run('sessions', 'list', '--all')).json<{ sessionId: string; isCurrent: boolean }[]>();
    expect(all.find((one) => one.sessionId === sessionId)).toMatchObject({ isCurrent: false });
    for (const name of readdirSync(join(home.path, 'sessions')))
      if (name.startsWith('sessions.')) rmSync(join(home.path, 'sessions', name));
    expect(await keys()).toMatchObject([{ sessionKey: 'main' }]);
  });

  it('cannot do more than its caller: tools, permission, depth and budget', async () => {
    const model = await modelFor('openai-compatible', []);
    model.follow((request): Reply => {
      if (asks('deeper')(request)) return { text: 'bottom' };
      if (asks('write')(request)) {
        const result = lastResult(request);
        return result
          ? { text: result }
          : { toolCalls: [{ name: 'file_write', args: { path: 'x', content: 'y' } }, task('general', 'deeper')] };
      }
      const result = lastResult(request);
      return result ? { text: result } : { toolCalls: [task('general', 'write')] };
    });
    const denied = (await model.ask('go')).json();
    expect(denied.success).toBe(true);
    const child = model.asked.find(asks('write'));
    const grandchild = model.asked.find(asks('deeper'));
    const names = (request: NeutralRequest | undefined): string[] => request?.tools.map(({ name }) => name) ?? [];
    expect(names(child)).toContain('task');
    expect(names(grandchild)).not.toContain('task');
    expect(names(grandchild)).not.toContain('subagent_spawn');
    expect(model.asked.some((request) => JSON.stringify(request.messages).includes('needs permission'))).toBe(true);

    model.asked.length = 0;
    await model.ask('go', '--tool-allow', 'task,time.now', '--new-session');
    expect(names(model.asked.find(asks('write')))).toEqual(['time_now', 'task']);
  });

  it('what it uses counts for its caller, and a caller with nothing left starts none', async () => {
    const model = await modelFor('openai-compatible', []);
    model.follow((request): Reply => {
      const usage = { input: 60, output: 0 };
      if (asks('child')(request)) return { text: 'done', usage };
      return lastResult(request) ? { text: 'end', usage } : { toolCalls: [task('general', 'child')], usage };
    });
    const free = (await model.ask('go')).json();
    expect(free.usage).toMatchObject({ inputTokens: 180 });
    const capped = (await model.ask('go', '--max-tokens', '100', '--new-session')).json();
    expect(capped).toMatchObject({ stage: 'stopped', usage: { inputTokens: 120 } });
    const none = (await model.ask('go', '--max-tokens', '60', '--new-session')).json();
    expect(none.toolResults[0]?.result).toMatchObject({ error: { reason: 'limit' } });
  });

  it('a name that does not exist is refused with the nearest, and a failing sub-agent is a failure', async () => {
    const model = await modelFor('openai-compatible', [{ toolCalls: [task('revew', 'x')] }, { text: 'sorry' }]);
    const { toolError } = (await model.ask('go')).json();
    expect(toolError).toMatchObject({ tool: 'task', message: 'there is no sub-agent "revew" (did you mean review?)' });
  });

  it('instructions from the workspace are content from outside: nothing runs unasked after them', async () => {
    const model = await modelFor('openai-compatible', []);
    model.home.file('.lainclaw/agents/helper.md', definition('helper'));
    model.follow((request): Reply => {
      const result = lastResult(request);
      if (asks('child')(request))
        return result ? { text: result } : { toolCalls: [{ name: 'bash', args: { command: 'touch Makefile' } }] };
      return result ? { text: result } : { toolCalls: [task('helper', 'child')] };
    });
    const { toolResults, result } = (await model.ask('go', '--approve', 'auto')).json();
    expect(result).toContain("needs a person's approval");
    expect(toolResults[0]?.result.meta.tainted).toBe(true);
  });
});

describe('subagent_spawn', () => {
  const spawn = (args: object) => ({ name: 'subagent_spawn', args });

  it('returns at once; the run continues by itself, with its own history, and is on record', async () => {
    const model = await modelFor('openai-compatible', []);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    model.follow(async (request): Promise<Reply> => {
      const background = request.system.join('\n').includes('in the background');
      if (background) {
        await released;
        return { text: `run number ${request.messages.filter(({ role }) => role === 'user').length}` };
      }
      return lastResult(request) ? { text: 'started' } : { toolCalls: [spawn({ name: 'watcher', message: 'look' })] };
    });
    const first = (await model.ask('go')).json();
    expect(first).toMatchObject({ success: true, result: 'started' });
    expect((await ended(model, 'running')).name).toBe('watcher');
    release();
    const done = await ended(model, 'done');
    expect(done.result).toBe('run number 1');
    const child = model.asked.find(({ system }) => system.join('\n').includes('in the background'));
    const names = child?.tools.map(({ name }) => name) ?? [];
    expect(names).toContain('memory_search');
    for (const none of ['subagent_spawn', 'memory_core_update', 'memory_core_delete'])
      expect(names).not.toContain(none);

    await model.ask('go', '--new-session');
    await eventually(async () =>
      expect(await runsOf(model)).toMatchObject([{ state: 'done', result: 'run number 2' }, {}]),
    );
    const { stdout } = await lainclaw(['agents', 'logs', done.id, '--text'], model);
    expect(stdout).toContain('run number 1');
    expect(stdout).not.toContain('run number 2');
  });

  it('can be cancelled while it runs, and says so when it had ended', async () => {
    const model = await modelFor('openai-compatible', []);
    model.follow((request): Reply => {
      if (request.system.join('\n').includes('in the background')) return { text: 'x', fault: { kind: 'hang' } };
      return lastResult(request) ? { text: 'started' } : { toolCalls: [spawn({ name: 'slow', message: 'wait' })] };
    });
    await model.ask('go');
    const { id } = await ended(model, 'running');
    expect((await lainclaw(['agents', 'cancel', id], model)).code).toBe(0);
    await ended(model, 'cancelled');
    const again = await lainclaw(['agents', 'cancel', id], model);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('has ended already: cancelled');
    expect((await lainclaw(['agents', 'cancel', 'run-none'], model)).stderr).toContain('there is no run run-none');
  });

  it('one whose process is killed is interrupted and never repeated', async () => {
    const model = await modelFor('openai-compatible', []);
    let background = 0;
    model.follow((request): Reply => {
      if (request.system.join('\n').includes('in the background')) {
        background += 1;
        return { text: 'x', fault: { kind: 'hang' } };
      }
      return lastResult(request) ? { text: 'started' } : { toolCalls: [spawn({ name: 'doomed', message: 'wait' })] };
    });
    await model.ask('go');
    await ended(model, 'running');
    await eventually(() => expect(background).toBe(1));
    killWorkerOf(model.home);
    // The system frees the lock of a killed process in its own time.
    await eventually(async () => {
      await lainclaw(['agents', 'work'], model);
      expect(await runsOf(model)).toMatchObject([{ state: 'interrupted', error: 'its process ended' }]);
    });
    expect(background).toBe(1);
  });
});

/** The worker is nobody's child: it is found by what it was started with. */
function killWorkerOf(home: Home): void {
  const found = workersOf(home);
  expect(found).toHaveLength(1);
  for (const pid of found) process.kill(pid, 'SIGKILL');
}

function workersOf(home: Home): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const words = readFileSync(`/proc/${entry}/cmdline`, 'utf8').split('\0');
      const isOurs = readFileSync(`/proc/${entry}/environ`, 'utf8').includes(`LAINCLAW_HOME=${home.path}\0`);
      return isOurs && words.includes('agents') && words.includes('work') ? [Number(entry)] : [];
    } catch {
      return [];
    }
  });
}
