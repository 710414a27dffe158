// Instructions as a person meets them: a question once, `lainclaw trust`, and what the model receives.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lainclaw } from '../support/lainclaw.ts';
import { type Model, modelFor } from '../support/model-providers.ts';
import { leave, openChat } from '../support/open-chat.ts';
import { testHome } from '../support/test-home.ts';

const answering = () => ({ text: 'An answer.' });
const lastSystem = ({ server }: Model): string => JSON.stringify(server.requests.at(-1)?.body);

async function project(): Promise<Model> {
  const model = await modelFor('openai-compatible', answering);
  model.home.file('AGENTS.md', 'Always answer in capitals.');
  return model;
}

describe('AGENTS.md', () => {
  it('is not read without anybody to ask, and is read once the folder is trusted', async () => {
    const model = await project();
    expect((await model.ask('hello')).code).toBe(0);
    expect(lastSystem(model)).not.toContain('capitals');
    const trust = (...args: string[]) => lainclaw(['trust', ...args], { home: model.home });
    expect((await trust('add', '.')).json()).toEqual({ folder: model.home.workspace, added: true });
    await model.ask('hello again');
    expect(lastSystem(model)).toContain('Always answer in capitals.');
    expect((await trust('list')).json()).toMatchObject({ folders: [{ folder: model.home.workspace }] });
    expect((await trust('remove', '.')).code).toBe(0);
    await model.ask('and now');
    expect(lastSystem(model)).not.toContain('capitals');
  });

  it('asks a person at a terminal once, and follows the answer from the first question on', async () => {
    const model = await project();
    const running = model.startOnTerminal('hello');
    await running.saw("Trust this folder's AGENTS.md?");
    await running.write('y\r');
    expect((await running.ended).code).toBe(0);
    expect(lastSystem(model)).toContain('capitals');
    const again = await model.startOnTerminal('again').ended;
    expect(again.stdout).not.toContain('Trust this folder');
  });

  it('that a person declined is not asked about again, in the chat either', async () => {
    const home = testHome();
    home.file('AGENTS.md', 'Always answer in capitals.');
    const first = await openChat(answering, [], { home });
    await first.chat.shows("Trust this folder's AGENTS.md?");
    await first.chat.shows('[y] yes');
    await first.chat.type('n');
    await first.chat.shows('→ no');
    await first.say('hello');
    await first.chat.shows('An answer.');
    expect(lastSystem(first)).not.toContain('capitals');
    await leave(first);
    const second = await openChat(answering, [], { home });
    await second.say('hello');
    await second.chat.shows('An answer.');
    expect(await second.chat.everything()).not.toContain('Trust this folder');
    await leave(second);
    expect(JSON.parse(readFileSync(join(home.path, 'trust.json'), 'utf8'))).toMatchObject({
      declined: [home.workspace],
    });
  });

  it('of the home needs no trust, and what is too long is said once', async () => {
    const model = await project();
    mkdirSync(model.home.path, { recursive: true });
    writeFileSync(join(model.home.path, 'SOUL.md'), `You are calm. ${'calm '.repeat(20_000)}`);
    const { stderr } = await model.ask('hello', '--text');
    expect(lastSystem(model)).toContain('You are calm.');
    expect(stderr).toContain('SOUL.md is cut');
  });
});

it.each([
  [['add', 'nowhere'], 1, 'is not a folder'],
  [['remove', '.'], 1, 'is not trusted'],
  [['add'], 2, 'folder'],
])('trust %j ends with %i and says %s', async (args, code, said) => {
  const finished = await lainclaw(['trust', ...args], { home: testHome() });
  expect([finished.code, finished.stderr]).toEqual([code, expect.stringContaining(said)]);
});
