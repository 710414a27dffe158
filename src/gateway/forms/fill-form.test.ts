import colors from 'picocolors';
import { describe, expect, it } from 'vitest';
import type { FormSchema } from '../../mcp/elicitation.ts';
import { answerForm } from './fill-form.ts';

const SIZES: FormSchema = { type: 'object', properties: { size: { type: 'string', enum: ['s', 'm'], default: 'm' } } };
const NAMED: FormSchema = {
  type: 'object',
  properties: { ...SIZES.properties, name: { type: 'string', minLength: 2 }, age: { type: 'integer' } },
  required: ['name'],
};

/** Types one line after the other; after the last one Ctrl-D. */
async function typing(schema: FormSchema, ...lines: string[]) {
  let shown = '';
  const left = [...lines];
  const answer = await answerForm(
    { server: 's', message: 'How large?\x07', schema },
    {
      read: async (prompt) => {
        shown += `${prompt}\n`;
        return left.shift();
      },
      write: (text) => {
        shown += text;
      },
      colors: colors.createColors(false),
      giveUp: 'Ctrl-D gives up',
    },
  );
  return { answer, shown, left };
}

describe('a form of a server', () => {
  it('shows who asks, for what, and each field', async () => {
    const { shown } = await typing(NAMED, '');
    expect(shown).toContain('? The server "s" asks for input\n  How large?\\x07\n');
    expect(shown).toContain('  - size (one of s, m; otherwise "m")\n  - name (a text; required)\n');
  });

  it.each(['', 'n', 'yes', 'A!'])('is declined with "%s"', async (typed) => {
    expect((await typing(SIZES, typed)).answer).toEqual({ action: 'decline' });
  });

  it('is accepted unchanged, without a value of ours', async () => {
    expect((await typing(SIZES, 'a')).answer).toEqual({ action: 'accept', content: {} });
  });

  it('cannot be accepted unchanged while something required is missing', async () => {
    const { answer, shown } = await typing(NAMED, 'a');
    expect(shown).not.toContain('[a] accept');
    expect(answer).toEqual({ action: 'decline' });
  });

  it('is sent filled in after a last look, with what was typed alone', async () => {
    const { answer, shown, left } = await typing(NAMED, 'f', '', 'Ann', '', 'y');
    expect(shown).toContain('? Send this to the server "s"?\n  size = "m"\n  name = "Ann"\n');
    expect([answer, left]).toEqual([{ action: 'accept', content: { name: 'Ann' } }, []]);
  });

  it('asks again for what does not fit or is required', async () => {
    const { answer, shown } = await typing(NAMED, 'f', 'xl', 's', '', 'A', 'Ann', 'old', '7', 'y');
    expect(shown).toContain('(accepted: one of s, m; Ctrl-D gives up)');
    expect(answer).toEqual({ action: 'accept', content: { size: 's', name: 'Ann', age: 7 } });
  });

  it.each([[''], ['n'], ['send it']])('is declined when the last look ends with "%s"', async (typed) => {
    expect((await typing(SIZES, 'f', 's', typed)).answer).toEqual({ action: 'decline' });
  });

  it.each([[[]], [['f']], [['f', 's']]])('is cancelled by Ctrl-D after %j', async (lines) => {
    expect((await typing(SIZES, ...lines)).answer).toEqual({ action: 'cancel' });
  });

  it('is declined unasked when it has too many fields', async () => {
    const fields = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`f${index}`, { type: 'string' }]));
    const { answer, shown } = await typing({ type: 'object', properties: fields }, 'a');
    expect([answer, shown]).toEqual([{ action: 'decline' }, expect.stringContaining('51 fields, more than 50')]);
  });

  it('without fields can be accepted or declined', async () => {
    const { answer, shown } = await typing({ type: 'object', properties: {} }, 'a');
    expect(answer).toEqual({ action: 'accept', content: {} });
    expect(shown).not.toContain('fill in');
  });
});

describe('a question of the model', () => {
  async function answering(choices: string[], ...lines: string[]) {
    const offered: string[] = [];
    let shown = '';
    const answer = await answerForm(
      {
        message: 'Which one?\nThey differ.',
        schema: { type: 'object', properties: { answer: { type: 'string', examples: choices } } },
      },
      {
        read: async (prompt, buttons) => {
          shown += `${prompt}\n`;
          offered.push(...buttons.map(({ label }) => label));
          return lines.shift();
        },
        write: (text) => {
          shown += text;
        },
        colors: colors.createColors(false),
        giveUp: 'Ctrl-D gives up',
      },
    );
    return { answer, shown, offered };
  }

  it('takes a number, and offers each suggestion', async () => {
    const { answer, shown, offered } = await answering(['red', 'blue'], '2');
    expect(answer).toEqual({ action: 'accept', content: { answer: 'blue' } });
    expect(shown).toBe('\n? Which one?\n  They differ.\n  1. red\n  2. blue\nnumber, or your own words › \n');
    expect(offered).toEqual(['red', 'blue']);
  });

  it.each([
    [['red', 'blue'], 'green, please', 'green, please'],
    [['red', 'blue'], '3', '3'],
    [[], '1', '1'],
  ])('takes other words: %j, %s', async (choices, typed, answer) => {
    expect((await answering(choices, typed)).answer).toEqual({ action: 'accept', content: { answer } });
  });

  it.each([undefined, '', '  '])('is left open by %j', async (typed) => {
    expect((await answering([], ...(typed === undefined ? [] : [typed]))).answer).toEqual({ action: 'cancel' });
  });
});
