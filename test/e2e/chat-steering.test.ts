// Writing to a turn that runs in `lainclaw chat`: the built binary on a real terminal, and what the model and the transcript get of it.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PIXEL as PNG } from '../conformance/channel-pictures.ts';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { eventually } from '../support/eventually.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { contents, leave, type Opened, openChat } from '../support/open-chat.ts';
import { structureProblems } from '../support/transcript-rules.ts';

/** Runs until the test says so. */
const WAITS = 'touch begun; while [ ! -e go-on ]; do sleep 0.05; done; echo waited';
const CALLS: Reply = {
  text: 'First this.',
  toolCalls: [
    { name: 'bash', args: { command: WAITS } },
    { name: 'bash', args: { command: 'touch second' } },
  ],
};

/** Calls both commands, then answers what `answer` says. */
const working =
  (answer: (request: NeutralRequest) => Reply) =>
  (request: NeutralRequest): Reply =>
    request.messages.some(({ role }) => role === 'tool') ? answer(request) : CALLS;

async function untilBegun({ home }: Opened): Promise<void> {
  await eventually(() => expect(existsSync(join(home.workspace, 'begun'))).toBe(true));
}

describe.concurrent('a message that is written while a turn runs', () => {
  it('joins it after the running call, in place of the calls that were to follow', async () => {
    const opened = await openChat(
      working(() => ({ text: 'With tabs.' })),
      ['--approve', 'auto'],
    );
    const { chat, say, home, asked } = opened;
    await say('indent it');
    await untilBegun(opened);
    await say('use tabs');
    await chat.shows('⏎ joins this turn: use tabs');
    writeFileSync(join(home.workspace, 'go-on'), '');
    await chat.shows('With tabs.');
    await chat.hides('joins this turn');
    expect(await chat.screen()).toMatch(/✗ bash touch second[\s\S]*› use tabs[\s\S]*With tabs\./);
    expect(existsSync(join(home.workspace, 'second'))).toBe(false);
    expect(JSON.stringify(asked.at(-1))).toMatch(/indent it.*waited.*not run.*use tabs/);
    expect(await leave(opened)).toBe(0);
    expect(structureProblems(home.lines())).toEqual([]);
    expect(contents(opened, 'user')).toEqual(['indent it', 'use tabs']);
    expect(opened.server.violations).toEqual([]);
  });

  it('takes the files that it names and pasted pictures with it, and later turns send them again', async () => {
    const opened = await openChat(
      working(({ messages }) => ({
        text: JSON.stringify(messages).includes('and now') ? 'Still tabs.' : 'With tabs.',
      })),
      ['--approve', 'auto'],
    );
    const { chat, say, home, asked } = opened;
    writeFileSync(join(home.workspace, 'rules.txt'), 'Indent with tabs.');
    writeFileSync(join(home.workspace, 'shot.png'), PNG);
    await say('indent it');
    await untilBegun(opened);
    await chat.type(`\x1b[200~${join(home.workspace, 'shot.png')}\x1b[201~`);
    await chat.shows('[picture 1]');
    await say('follow @rules.txt please');
    await chat.shows('⏎ joins this turn: [picture 1] follow @rules.txt please');
    writeFileSync(join(home.workspace, 'go-on'), '');
    await chat.shows('With tabs.');
    expect(await chat.screen()).toMatch(/› \[picture 1\] follow @rules\.txt please[\s\S]*\+ rules\.txt/);
    const sent = asked.at(-1)?.messages ?? [];
    expect(JSON.stringify(sent.at(-1))).toContain('Indent with tabs.');
    const picture = PNG.toString('base64').slice(0, 60);
    expect(JSON.stringify(asked.at(-1))).toContain(picture);
    await say('and now?');
    await chat.shows('Still tabs.');
    expect(asked.at(-1)?.messages.slice(0, sent.length)).toEqual(sent);
    expect(JSON.stringify(asked.at(-1))).toContain(picture);
    expect(await leave(opened)).toBe(0);
    expect(contents(opened, 'user')).toEqual(['indent it', '[picture 1] follow @rules.txt please', 'and now?']);
    expect(structureProblems(home.lines())).toEqual([]);
    expect(opened.server.violations).toEqual([]);
    const exported = await lainclaw(['sessions', 'export', 'main', '--format', 'markdown', '--text'], { home });
    expect(exported.stdout).toMatch(/follow @rules\.txt please[\s\S]*Attached .*rules\.txt[\s\S]*Indent with tabs\./);
  });

  it('is still in its place when the turn is killed after that', async () => {
    const opened = await openChat(
      working(() => ({ text: 'x', fault: { kind: 'hang' } })),
      ['--approve', 'auto'],
    );
    const { chat, say, home, asked } = opened;
    await say('indent it');
    await untilBegun(opened);
    await say('use tabs');
    await chat.shows('joins this turn');
    writeFileSync(join(home.workspace, 'go-on'), '');
    await eventually(() => expect(JSON.stringify(asked.at(-1))).toContain('use tabs'));
    chat.signal('SIGKILL');
    await chat.ended;
    opened.follow([{ text: 'As before, with tabs.' }]);
    const next = await lainclaw(['ask', 'and now?', '--session', 'main', ...opened.flags], { home, env: opened.env });
    expect(next.json()).toMatchObject({ result: 'As before, with tabs.' });
    expect(JSON.stringify(asked.at(-1))).toMatch(/indent it.*waited.*not run.*use tabs.*and now\?/);
    expect(structureProblems(home.lines())).toEqual([]);
  });

  it('waits for the end with /queue', async () => {
    const opened = await openChat(
      working(({ messages }) => ({ text: JSON.stringify(messages).includes('and then') ? 'Later.' : 'Done.' })),
      ['--approve', 'auto'],
    );
    const { chat, say, home, asked } = opened;
    await say('indent it');
    await untilBegun(opened);
    await say('/queue and then the rest');
    await chat.shows('⏎ queued: and then the rest');
    writeFileSync(join(home.workspace, 'go-on'), '');
    await chat.shows('Later.');
    expect(existsSync(join(home.workspace, 'second'))).toBe(true);
    expect(asked).toHaveLength(3);
    expect(await leave(opened)).toBe(0);
    expect(contents(opened, 'user')).toEqual(['indent it', 'and then the rest']);
  });
});
