import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FormField } from '../../mcp/elicitation.ts';
import { valueProblem } from '../../tools/validate.ts';
import { describeField, fillField } from './form-field.ts';

const FIELDS: Record<string, FormField> = {
  text: { type: 'string', minLength: 2 },
  email: { type: 'string', format: 'email' },
  age: { type: 'integer', minimum: 1, maximum: 100, default: 42 },
  score: { type: 'number', minimum: 0 },
  agreed: { type: 'boolean' },
  size: { type: 'string', enum: ['s', 'm'], default: 'm' },
  hero: {
    type: 'string',
    oneOf: [
      { const: 'h1', title: 'Superman' },
      { const: 'h2', title: 'h1' },
    ],
  },
  pet: { type: 'string', enum: ['p1', 'p2'], enumNames: ['Cat', 'Dog'] },
  many: { type: 'array', maxItems: 2, items: { type: 'string', enum: ['a', 'b', 'c'] } },
  fish: { type: 'array', items: { anyOf: [{ const: 'f1', title: 'Tuna' }] } },
};

describe('a field of a form', () => {
  it.each([
    ['text', ' two words ', 'two words'],
    ['email', 'a@example.com', 'a@example.com'],
    ['age', '7', 7],
    ['score', '1.5', 1.5],
    ['agreed', 'Yes', true],
    ['agreed', 'n', false],
    ['size', 's', 's'],
    ['hero', 'Superman', 'h1'],
    ['hero', 'h1', 'h1'],
    ['pet', 'Dog', 'p2'],
    ['many', 'a, c', ['a', 'c']],
    ['fish', 'Tuna', ['f1']],
  ])('%s takes "%s"', async (name, typed, value) => {
    expect(await fillField(FIELDS[name] ?? {}, typed)).toEqual({ ok: true, value });
  });

  it.each([
    ['text', 'x', 'fewer than 2'],
    ['email', 'nobody', 'email'],
    ['age', '101', '<= 100'],
    ['age', '1.5', 'integer'],
    ['age', 'many', 'accepted: a whole number from 1 to 100'],
    ['score', 'Infinity', 'accepted: a number of at least 0'],
    ['agreed', 'maybe', 'accepted: yes or no'],
    ['size', 'xl', 'accepted: one of s, m'],
    ['pet', 'Bird', 'accepted: one of p1 = Cat, p2 = Dog'],
    ['many', 'a,b,c', 'more than 2'],
    ['many', 'a,z', 'accepted: any of, with commas: a, b, c'],
  ])('%s does not take "%s"', async (name, typed, problem) => {
    const taken = await fillField(FIELDS[name] ?? {}, typed);
    expect(taken).toEqual({ ok: false, problem: expect.stringContaining(problem) });
  });

  it('never holds what does not fit, whatever is typed', async () => {
    const typed = fc.oneof(
      fc.string(),
      fc.constantFrom('1', '0', '-1', '1e999', 'NaN', 'a,a', 'null', '__proto__', ''),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.values(FIELDS)), typed, async (field, text) => {
        const taken = await fillField(field, text);
        if (taken.ok) expect(await valueProblem(field, taken.value)).toBeUndefined();
      }),
    );
  });

  it('says what it is, whether it is needed and what it is otherwise', () => {
    expect(describeField('age', { ...FIELDS.age, description: 'How old' }, true)).toBe(
      'age (a whole number from 1 to 100; otherwise 42): How old',
    );
    expect(describeField('email', FIELDS.email ?? {}, true)).toBe('email (a text: email; required)');
  });

  it('stays on its line, without control characters', () => {
    const line = describeField('a\nb', { type: 'string', title: 'x\r\n[y] send', description: '\x1b[2J\u202e' }, false);
    expect(line).toBe('a b (a text): x [y] send, \\x1b[2J\\x202e');
  });
});
