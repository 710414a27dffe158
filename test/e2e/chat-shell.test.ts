// Commands of the person, and pictures, in `lainclaw chat`: the built binary on a real terminal.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CTRL_C, contents, leave, openChat } from '../support/open-chat.ts';
import { testHome } from '../support/test-home.ts';

const CTRL_V = '\x16';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe.concurrent('a command behind !', () => {
  it('runs on the machine, is shown, and is known to the model with the next question', async () => {
    const opened = await openChat([{ text: 'Two tests fail.' }]);
    const { chat, say, asked, home } = opened;
    await say('!printf "\\033[31mtwo failures\\033[0m\\n"; pwd; exit 3');
    await chat.shows('✗ exit code 3');
    expect(await chat.screen()).toMatch(/! printf[\s\S]*\n {2}two failures\n {2}\S*workspace/);
    expect(asked).toEqual([]);
    await say('what does that mean?');
    await chat.shows('Two tests fail.');
    expect(await chat.screen()).toContain('+ output of !printf');
    const sent = JSON.stringify(asked[0]);
    expect(sent).toContain('exit code 3');
    expect(sent).toMatch(/two failures\\\\n|two failures\\n/);
    expect(await leave(opened)).toBe(0);
    expect(contents(opened, 'user')).toEqual(['what does that mean?']);
    expect(home.lines().some((line) => 'tainted' in line)).toBe(false);
  });

  it('is stopped by Ctrl+C, and the chat continues', async () => {
    const opened = await openChat([{ text: 'Yes.' }]);
    const { chat, say } = opened;
    await say('!echo begun; sleep 300');
    await chat.shows(/ {2}begun\n {2}● running · Ctrl\+C stops it/);
    await chat.type(CTRL_C);
    await chat.shows('⏹ stopped');
    await say('still there?');
    await chat.shows('Yes.');
    expect(await leave(opened)).toBe(0);
  });
});

describe.concurrent('a picture', () => {
  it('whose path is pasted goes with the message as [picture 1]', async () => {
    const home = testHome();
    writeFileSync(join(home.workspace, 'my shot.png'), PNG);
    const opened = await openChat([{ text: 'A red dot.' }], [], { home });
    const { chat, say, asked } = opened;
    await chat.type(`\x1b[200~${join(home.workspace, 'my\\ shot.png')}\x1b[201~`);
    await chat.shows('[picture 1]');
    await say('what is it?');
    await chat.shows('A red dot.');
    expect(await chat.screen()).toContain('+ picture 1 (my shot.png)');
    expect(JSON.stringify(asked[0])).toContain(PNG.toString('base64').slice(0, 60));
    expect(await leave(opened)).toBe(0);
    expect(contents(opened, 'user')).toEqual(['[picture 1] what is it?']);
  });

  it('in the clipboard is taken with Ctrl+V', async () => {
    const home = testHome();
    const programs = join(home.base, 'programs');
    mkdirSync(programs);
    writeFileSync(join(home.base, 'clip.png'), PNG);
    writeFileSync(join(programs, 'wl-paste'), '#!/bin/sh\nexec cat "$HOME/clip.png"\n');
    chmodSync(join(programs, 'wl-paste'), 0o755);
    const env = { WAYLAND_DISPLAY: 'wayland-0', PATH: `${programs}:${process.env.PATH}` };
    const opened = await openChat([{ text: 'A red dot.' }], [], { home, env });
    const { chat, say, asked } = opened;
    await chat.type(CTRL_V);
    await chat.shows('[picture 1]');
    await say('what is it?');
    await chat.shows('A red dot.');
    expect(JSON.stringify(asked[0])).toContain(PNG.toString('base64').slice(0, 60));
    expect(await leave(opened)).toBe(0);
  });

  it('is said to be missing where there is no clipboard', async () => {
    const opened = await openChat([]);
    await opened.chat.type(CTRL_V);
    await opened.chat.shows('There is no desktop here whose clipboard could be read');
    expect(await leave(opened)).toBe(0);
  });
});
