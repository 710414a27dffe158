// Commands of `lainclaw chat` that look at what there is, and those that people write: the built binary on a real terminal.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Home } from '../support/home.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { contents, leave, openChat } from '../support/open-chat.ts';
import { testHome } from '../support/test-home.ts';

function writeHomeFile({ path }: Home, name: string, text: string): void {
  mkdirSync(dirname(join(path, name)), { recursive: true });
  writeFileSync(join(path, name), text);
}

describe.concurrent('commands that look', () => {
  it('/export writes the conversation to a file, and never over another one', async () => {
    const opened = await openChat([{ text: 'The answer.' }]);
    const { chat, say, home } = opened;
    await say('a question');
    await chat.shows('12 in, 7 out');
    await say('/export talk.md');
    await chat.shows('1 turn of this conversation is in');
    const written = readFileSync(join(home.workspace, 'talk.md'), 'utf8');
    expect(written).toContain('The answer.');
    await say('/export talk.md');
    await chat.shows('is there already: /export <file>');
    await say('/export talk.pdf');
    await chat.shows('which format?');
    expect(existsSync(join(home.workspace, 'talk.pdf'))).toBe(false);
    expect(await leave(opened)).toBe(0);
    expect(readFileSync(join(home.workspace, 'talk.md'), 'utf8')).toBe(written);
  });

  it('/config shows, explains and sets', async () => {
    const opened = await openChat([], [], { rows: 50 });
    const { chat, say, home } = opened;
    await say('/config notify');
    await chat.shows('notify: bell (default)');
    await say('/config notify osc9');
    await chat.shows('- notify: osc9\n');
    await say('/config notify loud');
    await chat.shows('/config failed');
    await say('/config');
    await chat.shows('lainclaw config list lists all');
    expect(await leave(opened)).toBe(0);
    expect(JSON.parse(readFileSync(join(home.path, 'config.json'), 'utf8'))).toMatchObject({ notify: 'osc9' });
  });

  it('/mcp, /skills, /agents, /schedule and /cost tell what there is', async () => {
    const home = testHome();
    // A title that the model makes counts in the day.
    home.config({ modelTitles: false });
    writeHomeFile(home, 'skills/deploy/SKILL.md', '---\nname: deploy\ndescription: How we deploy.\n---\nDo it.\n');
    await lainclaw(['schedule', 'add', 'brief', '--cron', '0 8 * * *', '--message', 'what failed?'], { home });
    const opened = await openChat([{ text: 'Yes.' }], [], { home, rows: 60, columns: 100 });
    const { chat, say } = opened;
    await say('/mcp');
    await chat.shows('There are no MCP servers: lainclaw mcp add adds one.');
    await say('/skills');
    await chat.shows('deploy (home): How we deploy.');
    await say('/agents');
    await chat.shows('explore (builtin)');
    await say('/schedule');
    await chat.shows('brief (0 8 * * *, next ');
    await chat.shows('No gateway runs');
    await say('/cost');
    await chat.shows('This chat: nothing yet');
    await say('a question');
    await chat.shows('12 in, 7 out');
    await say('/cost');
    await chat.shows('This chat: 12 tokens in, 7 out');
    await chat.shows('Today, everything: 19 tokens');
    expect(await leave(opened)).toBe(0);
  });
});

describe.concurrent('a command that somebody wrote', () => {
  it('is completed, listed and sent with its arguments; those of a project once it is trusted', async () => {
    const home = testHome();
    writeHomeFile(home, 'commands/review.md', '---\ndescription: Review a file\n---\nReview $1 for $2.\n');
    home.file('.lainclaw/commands/ship.md', 'Ship it.');
    const opened = await openChat([{ text: 'Looks good.' }], [], { home });
    const { chat, say } = opened;
    await chat.shows('/ship of this project can be used once it is trusted');
    await chat.type('/rev');
    await chat.shows('Review a file (yours)');
    await chat.type('\t');
    await say('src/cart.js "rounding errors"');
    await chat.shows('Looks good.');
    await say('/ship');
    await chat.shows('There is no command /ship');
    expect(await leave(opened)).toBe(0);
    expect(contents(opened, 'user')).toEqual(['Review src/cart.js for rounding errors.']);
    expect((await lainclaw(['trust', 'add', home.workspace], { home })).code).toBe(0);
    const again = await openChat([{ text: 'Shipped.' }], [], { home });
    await again.say('/help');
    await again.chat.shows('Ctrl+D: leave');
    expect(await again.chat.everything()).toContain('/ship: Ship it. (this project)');
    await again.say('/ship');
    await again.chat.shows('Shipped.');
    expect(await leave(again)).toBe(0);
  });
});
