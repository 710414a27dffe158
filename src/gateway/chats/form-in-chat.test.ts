import { describe, expect, it } from 'vitest';
import { type Answer, runEnd, type TestChats, testChats } from '../../../test/support/chats.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { FormRequest, FormSchema } from '../../mcp/elicitation.ts';

const TRIP: FormSchema = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 2, description: 'Where to' },
    nights: { type: 'integer', minimum: 1 },
    class: { type: 'string', enum: ['first', 'second'], default: 'second' },
  },
  required: ['city', 'nights'],
};
const DEFAULTS: FormSchema = { type: 'object', properties: { size: { type: 'string', default: 'm' } } };

/** Puts the form to the chat and answers with what came back. */
const asking = (schema: FormSchema = TRIP, message = 'Which ```trip```?'): Answer =>
  async function* (request, signal, questions) {
    const form: FormRequest = { server: 'travel', message, schema };
    yield runEnd(request, JSON.stringify(await questions.form(form, signal)));
  };

/** The newest message of the bot, once it has this text. */
async function prompted(chats: TestChats, text: string, chatId = 'anna') {
  await eventually(async () => expect((await chats.said(chatId)).at(-1)).toContain(text));
  const shown = (await chats.platform.seen(chatId)).at(-1);
  if (!shown) throw new Error('nothing was asked');
  return shown;
}

async function press(chats: TestChats, shown: Awaited<ReturnType<typeof prompted>>, label: string): Promise<void> {
  const value = shown.buttons.find((button) => button.label === label)?.value ?? '';
  await chats.platform.press?.({ chatId: 'anna', messageId: shown.messageId, value, senderId: 'anna' });
}

const answered = (chats: TestChats, answer: object) =>
  eventually(async () => expect((await chats.said()).at(-1)).toBe(JSON.stringify(answer)));

describe('a form in a chat', () => {
  it('is filled in message by message; what does not fit is asked for again', async () => {
    const chats = await testChats(asking());
    await chats.start();
    await chats.write('book');
    const form = await prompted(chats, 'The server "travel" asks for input');
    expect(form.text).toContain('Which ```trip```?');
    expect(form.text).toContain('- city (a text; required): Where to');
    expect(form.buttons.map(({ label }) => label)).toEqual(['Fill in', 'Decline']);
    await press(chats, form, 'Fill in');
    await prompted(chats, '  city\n```');
    await chats.write('Bern');
    await prompted(chats, '  nights\n```');
    await chats.write('none');
    const again = await prompted(chats, 'accepted: a whole number');
    expect(again.text).toMatch(/\/deny q-\S+ declines/);
    await chats.write('3');
    const choice = await prompted(chats, '  class [');
    expect(choice.buttons.map(({ label }) => label)).toEqual(['first', 'second', 'Leave out']);
    await press(chats, choice, 'first');
    const last = await prompted(chats, 'Send this to the server "travel"?');
    expect(last.text).toContain('nights = 3');
    await press(chats, last, 'Send');
    await answered(chats, { action: 'accept', content: { city: 'Bern', nights: 3, class: 'first' } });
    expect((await chats.said()).at(-2)).toContain('**Sent (anna).**');
    expect(chats.asked).toHaveLength(1);
  });

  it('is answered in words alone, and "-" leaves a field out', async () => {
    const chats = await testChats(asking());
    await chats.start();
    await chats.write('book');
    for (const [prompt, typed] of [
      ['asks for input', 'f'],
      ['  city\n```', 'Bern'],
      ['  nights\n```', '2'],
      ['  class [', '-'],
      ['Send this', 'y'],
    ] as const) {
      await prompted(chats, prompt);
      await chats.write(typed);
    }
    await answered(chats, { action: 'accept', content: { city: 'Bern', nights: 2 } });
  });

  it('is accepted unchanged where that is enough', async () => {
    const chats = await testChats(asking(DEFAULTS));
    await chats.start();
    await chats.write('go');
    await press(chats, await prompted(chats, 'asks for input'), 'Accept');
    await answered(chats, { action: 'accept', content: {} });
  });

  it.each([
    ['/deny', 'decline'],
    ['n', 'decline'],
    ['something else', 'decline'],
  ])('is declined with %s', async (typed, action) => {
    const chats = await testChats(asking());
    await chats.start();
    await chats.write('book');
    await prompted(chats, 'asks for input');
    await chats.write(typed);
    await answered(chats, { action });
    expect((await chats.said())[0]).toContain('**Declined (anna).**');
  });

  it('is declined in the middle of it', async () => {
    const chats = await testChats(asking());
    await chats.start();
    await chats.write('book');
    await press(chats, await prompted(chats, 'asks for input'), 'Fill in');
    await prompted(chats, '  city\n```');
    await chats.write('/deny');
    await answered(chats, { action: 'decline' });
    await chats.write('Bern');
    await eventually(() => expect(chats.asked).toHaveLength(2));
  });

  it('is declined when nobody answers in time', async () => {
    const chats = await testChats(asking());
    await chats.start({ limits: { approvalMs: 1_500 } });
    await chats.write('book');
    await answered(chats, { action: 'decline' });
    expect((await chats.said())[0]).toContain('Nobody answered in time: declined.');
  });

  it('that nobody could fill in is declined, and says why', async () => {
    const fields = Array.from({ length: 51 }, (_, index) => [`field${index}`, { type: 'string' }]);
    const chats = await testChats(asking({ type: 'object', properties: Object.fromEntries(fields) }));
    await chats.start();
    await chats.write('book');
    await answered(chats, { action: 'decline' });
    expect((await chats.said())[0]).toContain('It wants 51 fields, more than 50: declined.');
  });

  it('goes away when the turn is stopped, and a button of it says so', async () => {
    const chats = await testChats(asking());
    await chats.start();
    await chats.write('book');
    const form = await prompted(chats, 'asks for input');
    await chats.write('/stop');
    await eventually(async () => expect((await chats.said()).at(-1)).toBe('⏹ Stopped.'));
    await press(chats, form, 'Fill in');
    await eventually(async () => expect((await chats.said()).at(-1)).toContain('not known any more'));
  });

  it('cannot be approved like a permission', async () => {
    const chats = await testChats(asking());
    await chats.start();
    await chats.write('book');
    await prompted(chats, 'asks for input');
    await chats.write('/approve');
    await eventually(async () => expect((await chats.said()).at(-1)).toContain('This is a form'));
  });

  it('is not answered by somebody who is not the owner: what they write waits for its turn', async () => {
    const chats = await testChats(asking());
    await chats.start({
      admit: async ({ sender }) => ({ allowed: true, isOwner: sender.id === 'anna' }),
      settings: async () => ({
        turn: { provider: 'stub', withTools: true, toolMaxSteps: 3, mode: 'ask', caps: {} },
        groups: true,
      }),
    });
    const group = { chatKind: 'group', mentionsBot: true };
    await chats.write('book', 'team', { ...group, senderId: 'anna' });
    await prompted(chats, 'asks for input', 'team');
    await chats.write('f', 'team', { ...group, senderId: 'boris' });
    await chats.write('n', 'team', { ...group, senderId: 'anna' });
    await eventually(() => expect(chats.asked).toHaveLength(2));
    expect(chats.asked[1]).toMatchObject({ input: 'boris: f' });
  });

  it('comes after the one before it', async () => {
    const chats = await testChats(async function* (request, signal, questions) {
      const ask = (server: string) => questions.form({ server, message: '', schema: DEFAULTS }, signal);
      const answers = await Promise.all([ask('one'), ask('two')]);
      yield runEnd(request, answers.map(({ action }) => action).join(' '));
    });
    await chats.start();
    await chats.write('go');
    await press(chats, await prompted(chats, 'The server "one"'), 'Accept');
    await press(chats, await prompted(chats, 'The server "two"'), 'Decline');
    await eventually(async () => expect((await chats.said()).at(-1)).toBe('accept decline'));
  });
});
