import { describe, expect, it } from 'vitest';
import type { ListedTurn } from '../../undo/undo.ts';
import { createCommands, readCommand } from './commands.ts';

const turn = (more: Partial<ListedTurn> = {}): ListedTurn => ({
  turnId: 't1',
  recordedAt: '',
  root: '/w',
  undone: false,
  paths: ['a.txt'],
  notCovered: [],
  ...more,
});

function setUp({ changes = [] as ListedTurn[], isWanted = true } = {}) {
  const asked: string[] = [];
  const called: unknown[] = [];
  const answered: unknown[] = [];
  let hasLeft = false;
  let isNew = false;
  const commands = createCommands({
    context: () =>
      ({
        sessionKey: 'main',
        async invoke(name: string, input: object) {
          called.push([name, input]);
          return { files: [{ path: 'a.txt', action: 'restored' }] };
        },
      }) as never,
    sessions: async () => [],
    switchTo: async (key) => `went to ${key}`,
    moreCommands: [],
    changes: async () => changes,
    async confirm(question) {
      asked.push(question);
      return isWanted;
    },
    tools: async () => [{ name: 'bash', description: 'runs', asksFirst: true }],
    async answer(scope) {
      answered.push(scope);
      return undefined;
    },
    onNewConversation: () => {
      isNew = true;
    },
    sendLater: () => {},
    leave: () => {
      hasLeft = true;
    },
  });
  const run = async (text: string): Promise<string | undefined> => {
    const read = readCommand(text, commands);
    return read?.command.run(read.argument);
  };
  return { commands, run, asked, called, answered, hasLeft: () => hasLeft, isNew: () => isNew };
}

describe('commands of the chat', () => {
  it('are not mistaken for paths and other texts', () => {
    const { commands } = setUp();
    for (const text of ['/etc/passwd', '/ help', 'see /help', '//', ''])
      expect(readCommand(text, commands)).toBeUndefined();
    expect(readCommand(' /SESSION  my key ', commands)).toMatchObject({
      command: { name: 'session' },
      argument: 'my key',
    });
  });

  it('name the nearest one where there is none', async () => {
    const { run } = setUp();
    expect(await run('/modle')).toBe('There is no command `/modle`: did you mean `/model`?');
    expect(await run('/qqqqqqqq')).toContain('`/help` lists');
  });

  it('are all in the list of /help', async () => {
    const { commands, run } = setUp();
    const help = await run('/help');
    for (const { usage } of commands) expect(help).toContain(`\`${usage}\``);
  });

  it('/undo says what it would take back, and does it only then', async () => {
    const last = turn({ turnId: 't2', paths: ['new.txt', 'b.txt'] });
    const { run, asked } = setUp({ changes: [turn({ undoes: 't0' }), last, turn()] });
    expect(await run('/undo')).toBe('Taken back:\n\n- restored: `a.txt`');
    expect(asked).toEqual(['? Take back the last changes to these files?\n  new.txt\n  b.txt']);
    const unwanted = setUp({ changes: [last], isWanted: false });
    expect(await unwanted.run('/undo')).toBe('Nothing was taken back.');
    expect(unwanted.called).toEqual([]);
  });

  it('call operations, as the commands of chats on platforms do', async () => {
    const { run, called, isNew } = setUp();
    await run('/undo');
    await run('/new');
    await run('/memory on');
    expect(called).toEqual([
      ['undo.turn', { session: 'main' }],
      ['chat.new', {}],
      ['chat.setMemory', { memory: true }],
    ]);
    expect(isNew()).toBe(true);
  });

  it('/approve and /deny answer the question that is open, as its keys do', async () => {
    const { run, answered } = setUp();
    await run('/approve');
    await run('/approve always');
    await run('/deny');
    expect(answered).toEqual(['once', 'always', undefined]);
    expect(await run('/approve maybe not')).toContain('is not accepted');
  });

  it('/tools, /session and /exit do what they say', async () => {
    const { run, hasLeft } = setUp();
    expect(await run('/tools')).toBe('- `bash` (asks first): runs');
    expect(await run('/session work')).toBe('went to work');
    expect(await run('/exit')).toBeUndefined();
    expect(hasLeft()).toBe(true);
  });
});
