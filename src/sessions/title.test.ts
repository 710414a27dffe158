import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { givenTitle, titleFrom } from './title.ts';

describe('the title of a conversation', () => {
  it.each([
    ['why is the sky blue?', 'why is the sky blue?'],
    ['Fix the login. It fails on Safari.', 'Fix the login.'],
    ['\n\n# Heading\nmore', 'Heading'],
    ['> quoted words', 'quoted words'],
    ['请修复登录。然后提交', '请修复登录。'],
    ['a\tb   c', 'a b c'],
  ])('of %j is %j', (question, title) => {
    expect(titleFrom(question)).toBe(title);
  });

  it('is cut between words', () => {
    const title = titleFrom(`please refactor the payment module ${'and more '.repeat(20)}`) ?? '';
    expect(title).toMatch(/^please refactor the payment module .*[a-z]…$/);
    expect(title.length).toBeLessThanOrEqual(60);
  });

  it('is undefined where there are no words', () => {
    for (const question of ['', ' \n ', '???', '---']) expect(titleFrom(question)).toBeUndefined();
  });

  it('is one short line, whatever was asked or given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        for (const title of [titleFrom(text) ?? 'x', givenTitle(text)]) {
          expect(title.length).toBeLessThanOrEqual(120);
          expect(title).not.toMatch(/[\n\r\t]/);
          expect(title.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});
