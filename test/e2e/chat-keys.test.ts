// What keys do in `lainclaw chat` besides writing: the editor, folding, stopping the job; and how one is called back. Through the built binary on a
// real terminal.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startOnScreen } from '../support/chat-terminal.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { contents, leave, openChat, READY } from '../support/open-chat.ts';
import { testHome } from '../support/test-home.ts';

const CTRL_G = '\x07';
const CTRL_T = '\x14';
const CTRL_Z = '\x1a';

describe.concurrent('a key', () => {
  it('opens the message in the editor of the person, and takes what they leave there', async () => {
    const home = testHome();
    const editor = home.file(
      'editor.sh',
      '#!/bin/sh\ncp "$2" "$HOME/seen"\nprintf "\\nand the second line\\n\\n" >> "$2"\n',
    );
    const opened = await openChat([{ text: 'Read.' }], [], { home, env: { VISUAL: `sh ${editor} --wait` } });
    const { chat, say } = opened;
    await chat.type('the first line');
    await chat.shows('the first line');
    await chat.type(CTRL_G);
    await chat.shows('and the second line');
    await say('');
    await chat.shows('Read.');
    expect(await leave(opened)).toBe(0);
    expect(readFileSync(join(home.base, 'seen'), 'utf8')).toBe('the first line');
    expect(contents(opened, 'user')).toEqual(['the first line\nand the second line']);
  });

  it.each([
    ['without an editor', {}, 'No editor is named'],
    ['of an editor that fails', { EDITOR: 'false' }, 'the editor (false) ended with 1'],
  ])('%s loses nothing that was written', async (_name, env, says) => {
    const opened = await openChat([], [], { env });
    const { chat } = opened;
    await chat.type('a long thought');
    await chat.shows('a long thought');
    await chat.type(CTRL_G);
    await chat.shows(says);
    expect(await chat.screen()).toContain('a long thought');
    await chat.type('\x03');
    expect(await leave(opened)).toBe(0);
  });

  it('unfolds what the model thought', async () => {
    const opened = await openChat([{ reasoning: 'The sum is wrong.\nIt rounds too early.', text: 'Found it.' }]);
    const { chat, say } = opened;
    await say('why?');
    await chat.shows('12 in, 7 out');
    expect(await chat.screen()).toMatch(/› why\?\n\n∴ It rounds too early\.\n\nFound it\./);
    await chat.type(CTRL_T);
    await chat.shows(/∴ The sum is wrong\.\n {2}It rounds too early\./);
    await chat.type(CTRL_T);
    await chat.hides('The sum is wrong.');
    expect(await leave(opened)).toBe(0);
  });

  it('stops the whole job, also where a launcher waits for it, and fg continues', async () => {
    const home = testHome();
    // The launcher hands over to another Node, and waits for it.
    const pretence = home.file(
      'old-node.cjs',
      `if (!process.env.LAINCLAW_REEXECUTED) Object.defineProperty(process.versions, 'node', { value: '20.11.1' });`,
    );
    const job = 'set -m; "$0" "$@"; echo "the shell is back: $?"; jobs; read line; fg >/dev/null; echo "ended: $?"';
    const chat = startOnScreen(['chat', '--provider', 'stub', '--session', 'main'], {
      home,
      env: { NODE_OPTIONS: `--require ${pretence}`, NO_COLOR: '1' },
      inside: ['bash', '--norc', '-c', job],
    });
    await chat.shows(READY);
    await chat.type('half a');
    await chat.shows('half a');
    await chat.type(CTRL_Z);
    await chat.shows('the shell is back: 148');
    await chat.shows(/Stopped/);
    await chat.type('\r');
    await chat.shows(/the shell is back[\s\S]*half a/);
    await chat.type(' thought');
    await chat.shows('half a thought');
    await chat.type('\x03');
    await chat.hides('half a thought');
    await chat.type('\x04');
    await chat.shows('ended: 0');
    expect((await chat.ended).code).toBe(0);
  });
});

describe.concurrent('a person who has not typed for a while', () => {
  it.each([
    ['bell', '\x07'],
    ['osc9', '\x1b]9;Lainclaw has ended the turn\x07'],
    ['osc777', '\x1b]777;notify;Lainclaw;Lainclaw has ended the turn\x07'],
  ])('is called back with %s when the turn has ended', async (kind, expected) => {
    const home = testHome();
    for (const [key, value] of [
      ['notify', kind],
      ['notifyAfterSeconds', '0'],
    ] as const)
      expect((await lainclaw(['config', 'set', key, value], { home })).code).toBe(0);
    const opened = await openChat([{ text: 'Done.' }], [], { home });
    const { chat, say } = opened;
    await say('work');
    await chat.shows('12 in, 7 out');
    // A bell also ends other commands to terminals.
    const otherEnds = kind === 'bell' ? chat.raw().split('\x1b]').length - 1 : 0;
    expect(chat.raw().split(expected).length - 1 - otherEnds).toBeGreaterThan(0);
    expect(await leave(opened)).toBe(0);
  });
});

describe('a name behind @ that is not a file', () => {
  it('is sent as text, and said so', async () => {
    const opened = await openChat([{ text: 'Where?' }]);
    const { chat, say } = opened;
    await say('look at @nofile.ts');
    await chat.shows('Where?');
    expect(await chat.screen()).toContain('! There is no such file: @nofile.ts is sent as text');
    expect(await leave(opened)).toBe(0);
  });
});
