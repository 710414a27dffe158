import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Answer, echo, runEnd, SETTINGS, testChats } from '../../../../test/support/chats.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { UndoError } from '../../../undo/undo-error.ts';
import { COMMANDS } from './all.ts';

/** The first turn lasts until it is cancelled. */
const lasting = (): Answer => {
  let turns = 0;
  return async function* (request, signal) {
    turns += 1;
    if (turns === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    yield* echo(request);
  };
};

describe('a command', () => {
  it.each(COMMANDS)('/$name has a row in the documentation', ({ name }) => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/gateway/chats.md'), 'utf8');
    expect(page).toMatch(new RegExp(`^\\|.*\`/${name}\\b`, 'm'));
  });

  it('is answered without a model', async () => {
    const chats = await testChats();
    await chats.start();
    await chats.write('/help');
    await eventually(async () => expect(await chats.said()).toHaveLength(1));
    const [help] = await chats.said();
    for (const { usage } of COMMANDS) expect(help).toContain(`\`${usage}\``);
    expect(chats.asked).toEqual([]);
  });

  it.each([
    ['/start', expect.stringContaining('Write what you want')],
    ['/hlep', 'There is no command `/hlep`: did you mean `/help`?'],
    ['/modle x', 'There is no command `/modle`: did you mean `/model`?'],
    ['/STATSU', 'There is no command `/STATSU`: did you mean `/status`?'],
    ['/stat', 'There is no command `/stat`: did you mean `/status`?'],
    ['/qqqqqq', 'There is no command `/qqqqqq`: `/help` lists what there is.'],
    ['/memory maybe', '`/memory maybe` is not accepted: `/memory on` or `/memory off` is.'],
    ['/stop', 'Nothing is running.'],
    ['/approve', 'Nothing is waiting for an answer: it was answered already, or has expired.'],
    ['/undo', 'Nothing was changed in this conversation.'],
    ['/models', 'stub has no models to choose from.'],
    [
      '/MODEL@my_bot',
      "Model: `the provider's default` (stub). `/models` lists what there is, `/model <name>` chooses.",
    ],
  ])('%s is answered with %s', async (written, answer) => {
    const chats = await testChats();
    await chats.start();
    await chats.write(written);
    await chats.says([answer]);
  });

  it.each(['/etc/passwd is what?', 'what does /help do', '//', '/ new'])('%s is none', async (written) => {
    const chats = await testChats();
    await chats.start();
    await chats.write(written);
    await chats.says([`echo: ${written}`]);
  });

  it('among messages keeps its place', async () => {
    const chats = await testChats();
    const renewed: number[] = [];
    const renew = async (sessionKey: string) => {
      renewed.push(chats.asked.length);
      return { sessionKey, sessionId: 'x', createdAt: '', updatedAt: '' };
    };
    await chats.start({ renew, limits: { debounceMs: 100 } });
    await Promise.all([chats.write('one'), chats.write('/new'), chats.write('two')]);
    await chats.says(['echo: one', expect.stringContaining('A new conversation.'), 'echo: two']);
    expect(renewed).toEqual([1]);
  });

  it('that failed says why', async () => {
    const chats = await testChats();
    const renew = async () => Promise.reject(new Error('the disk is full'));
    await chats.start({ renew });
    await chats.write('/new');
    await chats.says(['⚠️ `/new` failed: the disk is full']);
  });

  it('/undo with nothing to take back says so once', async () => {
    const chats = await testChats();
    const nothing = new UndoError('UNDO_NOTHING', 'there is nothing to undo');
    const session = async (sessionKey: string) => ({ sessionKey, sessionId: 's', createdAt: '', updatedAt: '' });
    await chats.start({ undo: () => Promise.reject(nothing), session });
    await chats.write('/undo');
    await chats.says(['There is nothing to undo.']);
  });

  it('that cannot be repeated is not, after it was interrupted', async () => {
    const chats = await testChats();
    let undone = 0;
    const undo = (): Promise<never> => {
      undone += 1;
      return new Promise(() => {});
    };
    const session = async (sessionKey: string) => ({ sessionKey, sessionId: 's', createdAt: '', updatedAt: '' });
    await chats.start({ undo, session });
    await chats.write('/undo');
    await eventually(() => expect(undone).toBe(1));
    chats.kill();
    await chats.start({ undo, session });
    await chats.says(['`/undo` was interrupted. It was not repeated: look whether it was done.']);
    expect(undone).toBe(1);
  });
});

describe('in a group', () => {
  const GROUP = 'team';
  const by = (senderId: string) => ({ senderId, chatKind: 'group' });
  const OPEN = {
    admit: async ({ sender }: { sender: { id: string } }) => ({
      allowed: true as const,
      isOwner: sender.id === 'olga',
    }),
    settings: async () => ({ ...SETTINGS, groups: true }),
  };
  const REFUSED = 'Only the owner, or the person who asked for it, can stop what is running.';

  it('/stop cancels what one asked for oneself, not the turn of another', async () => {
    const chats = await testChats(lasting());
    await chats.start(OPEN);
    await chats.write('long', GROUP, by('anna'));
    await eventually(() => expect(chats.asked).toHaveLength(1));
    await chats.write('/stop', GROUP, by('boris'));
    await chats.says([REFUSED], GROUP);
    await chats.write('/stop', GROUP, by('anna'));
    await chats.says([REFUSED, '⏹ Stopped.'], GROUP);
  });

  it('/stop takes back one’s own question that waits, and no other', async () => {
    const chats = await testChats(lasting());
    await chats.start(OPEN);
    await chats.write('long', GROUP, by('anna'));
    await eventually(() => expect(chats.asked).toHaveLength(1));
    await chats.write('of boris', GROUP, by('boris'));
    await chats.write('of carla', GROUP, by('carla'));
    await eventually(async () => expect((await chats.mailbox.counts()).inbox).toBe(3));
    await chats.write('/stop', GROUP, by('boris'));
    await chats.says(['⏹ Stopped.'], GROUP);
    await chats.write('/stop', GROUP, by('olga'));
    await chats.says(['⏹ Stopped.', '⏹ Stopped.', 'echo: carla: of carla'], GROUP);
    expect(chats.asked.map(({ input }) => input)).toEqual(['anna: long', 'carla: of carla']);
  });

  it('/new is for the owner', async () => {
    const chats = await testChats();
    const renewed: string[] = [];
    const renew = async (sessionKey: string) => {
      renewed.push(sessionKey);
      return { sessionKey, sessionId: 'x', createdAt: '', updatedAt: '' };
    };
    await chats.start({ ...OPEN, renew });
    await chats.write('/new', GROUP, by('anna'));
    await chats.says(['`/new` is for the owner in a group, where it concerns everybody.'], GROUP);
    expect(renewed).toEqual([]);
    await chats.write('/new', GROUP, by('olga'));
    await eventually(() => expect(renewed).toEqual(['local:team']));
  });

  it('a second /stop, while the first takes effect, finds nothing', async () => {
    const gate = Promise.withResolvers<void>();
    const chats = await testChats(async function* (request) {
      await gate.promise;
      yield* echo(request);
    });
    await chats.start(OPEN);
    await chats.write('long', GROUP, by('anna'));
    await eventually(() => expect(chats.asked).toHaveLength(1));
    await chats.write('/stop', GROUP, by('anna'));
    await chats.says(['⏹ Stopped.'], GROUP);
    await chats.write('/stop', GROUP, by('anna'));
    await chats.says(['⏹ Stopped.', 'Nothing is running.'], GROUP);
    gate.resolve();
  });

  it('but who writes alone with the bot needs to be no owner', async () => {
    const chats = await testChats(lasting());
    await chats.start(OPEN);
    await chats.write('long', 'anna');
    await eventually(() => expect(chats.asked).toHaveLength(1));
    await chats.write('/stop', 'anna');
    await chats.write('/new', 'anna');
    await chats.says(['⏹ Stopped.', expect.stringContaining('A new conversation')]);
  });
});

it('/status tells times as the clock of the owner shows them, and which that is', async () => {
  const chats = await testChats();
  const createdAt = '2026-12-01T21:30:00.000Z';
  await chats.start({
    session: async (sessionKey) => ({ sessionKey, sessionId: 'x', createdAt, updatedAt: createdAt }),
    systemTimezone: () => 'Asia/Shanghai',
  });
  await chats.write('/status');
  await chats.says([expect.stringContaining('since 2026-12-02 05:30 Asia/Shanghai (`local:anna`)')]);
});

describe('/stop', () => {
  it('cancels the running turn at once, and what waits continues', async () => {
    const chats = await testChats(lasting());
    await chats.start();
    await chats.write('one');
    await eventually(() => expect(chats.asked).toHaveLength(1));
    await chats.write('two');
    await eventually(async () => expect((await chats.mailbox.counts()).inbox).toBe(2));
    await chats.write('/stop');
    await eventually(async () => expect((await chats.said()).toSorted()).toEqual(['echo: two', '⏹ Stopped.']));
    chats.kill();
    await chats.start();
    await chats.write('three');
    await eventually(async () => expect(await chats.said()).toContain('echo: three'));
    expect(chats.asked.map(({ input }) => input)).toEqual(['one', 'two', 'three']);
  });

  it('leaves what was said so far in its place', async () => {
    const chats = await testChats(async function* (_request, signal) {
      yield { type: 'text-delta', text: 'the first half' };
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    await chats.start({ limits: { progressAfterMs: 10, progressEveryMs: 10 } });
    await chats.write('tell me all');
    await chats.says(['the first half']);
    await chats.write('/stop');
    await eventually(async () =>
      expect((await chats.said()).toSorted()).toEqual(['the first half\n\n⏹', '⏹ Stopped.']),
    );
    expect(chats.logged).toEqual([expect.stringMatching(/^stopped after \d+\.\d s$/)]);
  });

  it('takes back what has not begun', async () => {
    const chats = await testChats();
    await chats.start({ limits: { debounceMs: 60_000, debounceMaxMs: 60_000 } });
    await chats.write('one');
    await eventually(async () => expect((await chats.mailbox.counts()).inbox).toBe(1));
    await chats.write('/stop');
    await chats.says(['⏹ Stopped.']);
    expect((await chats.mailbox.counts()).inbox).toBe(0);
  });

  it('takes back what had begun and waits to be tried again', async () => {
    const chats = await testChats(async function* (request) {
      if (request.input === 'two') yield* echo(request);
      else yield runEnd(request, '', { success: false, error: { code: 'STORAGE_UNREACHABLE', message: 'gone' } });
    });
    await chats.start();
    await chats.write('one');
    await eventually(() => expect(chats.logged.join('\n')).toContain('will be tried again: gone'));
    await chats.write('/stop');
    await chats.says(['⏹ Stopped.']);
    expect((await chats.mailbox.counts()).inbox).toBe(0);
    // What had begun would come before it.
    await chats.write('two');
    await chats.says(['⏹ Stopped.', 'echo: two']);
  });
});

describe('a choice', () => {
  it('of model and memory holds for its chat, over restarts, until it is taken back', async () => {
    const chats = await testChats();
    const models = async () => ({
      ok: true as const,
      models: [
        { id: 'small-1', isDefault: true },
        { id: 'large-2', isDefault: false },
      ],
    });
    await chats.start({ models });
    await chats.write('/model large-1');
    await chats.says(['⚠️ stub has no model "large-1": did you mean large-2?']);
    await chats.write('/model large-2');
    await chats.says([
      expect.anything(),
      'This chat uses `large-2` (stub) from now on. `/model default` takes it back.',
    ]);
    await chats.write('/memory on');
    await eventually(async () => expect((await chats.said()).at(-1)).toContain('Memory is on'));
    chats.kill();
    await chats.start({ models });
    await chats.write('hi');
    await chats.write('hi', 'boris');
    await eventually(() => expect(chats.asked).toHaveLength(2));
    const byChat = (key: string) => chats.asked.find(({ sessionKey }) => sessionKey === key);
    expect(byChat('local:anna')).toMatchObject({ model: 'large-2', memory: true });
    expect(byChat('local:boris')?.model).toBeUndefined();
    await chats.write('/status');
    await eventually(async () => expect((await chats.said()).at(-1)).toContain('Model: `large-2` (stub)'));
    await chats.write('/model default');
    await eventually(async () => expect((await chats.said()).at(-1)).toContain('usual model again'));
    await chats.write('hi');
    await eventually(() => expect(chats.asked).toHaveLength(3));
    expect(chats.asked[2]?.model).toBeUndefined();
  });

  it('of a model is not carried to another provider', async () => {
    const chats = await testChats();
    await chats.start();
    await chats.write('/model large-2');
    await eventually(async () => expect(await chats.said()).toHaveLength(1));
    chats.kill();
    await chats.start({ settings: async () => ({ ...SETTINGS, turn: { ...SETTINGS.turn, provider: 'openai' } }) });
    await chats.write('hi');
    await eventually(() => expect(chats.asked).toHaveLength(1));
    expect(chats.asked[0]?.model).toBeUndefined();
  });
});
