// What background work is instructed to do, in the configured language, and sub-agents that a person starts by hand.
import { describe, expect, it } from 'vitest';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { eventually } from '../support/eventually.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { KEY, type Model, modelFor } from '../support/model-providers.ts';

/** A home whose configured model is the fake one. */
async function connected(script: (request: NeutralRequest) => Reply, settings: object = {}): Promise<Model> {
  const model = await modelFor('openai-compatible', script);
  model.home.config({
    provider: 'openai-compatible',
    model: 'fake',
    baseUrl: `${model.server.url}/v1`,
    ...settings,
  });
  Object.assign(model.env, { LAINCLAW_API_KEY: KEY });
  return model;
}

const invoke = (model: Model, tool: string, args: object) =>
  lainclaw(['tools', 'invoke', tool, '--args', JSON.stringify(args)], model);

async function runsDone(model: Model, count: number): Promise<void> {
  await eventually(async () => {
    const { runs } = (await lainclaw(['agents', 'status'], model)).json<{ runs: { state: string }[] }>();
    expect(runs.map(({ state }) => state)).toEqual(Array.from({ length: count }, () => 'done'));
  });
}

const saidIn = ({ messages }: NeutralRequest): string[] =>
  messages.flatMap((message) => ('text' in message ? [message.text] : []));

describe('tools invoke', () => {
  it('task waits for the sub-agent and returns its answer', async () => {
    const model = await connected(() => ({ text: 'forty-two' }));
    const { code, json } = await invoke(model, 'task', { agent: 'explore', prompt: 'How much?' });
    expect(code).toBe(0);
    expect(json()).toMatchObject({ result: { ok: true, data: { agent: 'explore', answer: 'forty-two' } } });
    expect(saidIn(model.asked[0] as NeutralRequest)[0]).toContain('How much?');
  });

  it('subagent_spawn starts a run, which ends by itself', async () => {
    const model = await connected(() => ({ text: 'looked' }));
    const { json } = await invoke(model, 'subagent_spawn', { name: 'watcher', message: 'look' });
    expect(json()).toMatchObject({ result: { ok: true, data: { name: 'watcher', state: 'queued' } } });
    await runsDone(model, 1);
  });
});

describe('a sub-agent in the background', () => {
  it('sees the last five messages of its own runs', async () => {
    let answers = 0;
    const model = await connected(() => {
      answers += 1;
      return { text: `answer ${answers}` };
    });
    for (let run = 1; run <= 4; run += 1) {
      await invoke(model, 'subagent_spawn', { name: 'watcher', message: `question ${run}` });
      await runsDone(model, run);
    }
    const [oldest, ...said] = saidIn(model.asked.at(-1) as NeutralRequest);
    expect(oldest).toContain('answer 1');
    expect(oldest).not.toContain('question 1');
    expect(said.slice(0, 4)).toEqual(['question 2', 'answer 2', 'question 3', 'answer 3']);
    expect(said[4]).toContain('question 4');
  });
});

describe.each([
  ['en', 'scheduled job', 'You are Lainclaw', 'Started watcher in the background'],
  ['zh', '定时任务', '你是 Lainclaw', '已在后台启动 watcher'],
  ['ru', 'задание по расписанию', 'Вы — Lainclaw', 'watcher запущен в фоне'],
])('in the language %s', (language, aboutJobs, system, started) => {
  it('the prompt says how a job stays silent, in that language', async () => {
    const model = await connected(() => ({ text: '{"silent": true}' }), { language });
    await lainclaw(['schedule', 'add', 'brief', '--cron', '@daily', '--message', 'anything new?'], model);
    expect((await lainclaw(['schedule', 'run', 'brief'], model)).code).toBe(0);
    const told = model.asked[0]?.system.join('\n');
    for (const part of [aboutJobs, system, '{"silent": true']) expect(told).toContain(part);
  });

  it('tools answer in that language', async () => {
    const model = await connected(() => ({ text: 'looked' }), { language });
    const { stdout } = await lainclaw(
      ['tools', 'invoke', 'subagent_spawn', '--text', '--args', '{"name":"watcher","message":"look"}'],
      model,
    );
    expect(stdout).toContain(started);
    await runsDone(model, 1);
  });
});
