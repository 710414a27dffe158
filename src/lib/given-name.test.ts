import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findByName, foldedName, givenNameProblem, normalName, slugOf } from './given-name.ts';

describe('a name', () => {
  it.each([
    'report',
    'Morning report',
    '每日 报告',
    'Отчёт за день',
    'a/b: c?',
    '..',
    '-x',
    '❤️ team',
    '👩‍👩‍👧 family',
    'می‌خواهم',
    'x'.repeat(100),
    '字'.repeat(100),
    '__proto__',
  ])('may be %j', (name) => {
    expect(givenNameProblem(name)).toBeUndefined();
  });

  it.each([
    ['', 'empty'],
    ['  \u3000', 'empty'],
    ['x'.repeat(101), '101 characters'],
    ['two\nlines', 'line break'],
    ['tab\there', 'line break'],
    ['esc\x1b[31m', 'cannot be seen'],
    ['a\u200bb', 'cannot be seen'],
    ['\u200dx', 'cannot be seen'],
    ['right\u202eleft', 'cannot be seen'],
    ['\ud800', 'cannot be seen'],
    ['\u3164', 'cannot be seen'],
    ['line\u2028separator', 'line break'],
  ])('may not be %j', (name, reason) => {
    expect(givenNameProblem(name)).toContain(reason);
  });

  it('is stored in one form', () => {
    expect(normalName('  Cafe\u0301 \u00a0 au  lait ')).toBe('Café au lait');
  });

  it('is the same in another case or form', () => {
    expect(foldedName('CAFE\u0301')).toBe(foldedName('café'));
    expect(foldedName('Ｒｅｐｏｒｔ')).toBe(foldedName('report'));
    expect(foldedName('a\u200cb')).toBe(foldedName('ab'));
  });

  it('is found as it is spelled before it is found in another case', () => {
    const all = [{ name: 'Report' }, { name: 'report' }, { name: 'Café' }, { name: 'Morning report' }];
    expect(findByName(all, 'report')).toBe(all[1]);
    expect(findByName(all, 'REPORT')).toBe(all[0]);
    expect(findByName(all, 'cafe\u0301')).toBe(all[2]);
    expect(findByName(all, 'tea')).toBeUndefined();
    expect(findByName(all, slugOf('Morning report'))).toBe(all[3]);
  });
});

describe('a slug', () => {
  it.each(['report', 'Daily', 'a.b_c-d', '每日', 'x'.repeat(64)])('of the plain name %s is the name', (name) => {
    expect(slugOf(name)).toBe(name);
  });

  it.each([
    ['Morning report!', /^Morning-report=[0-9a-f]{16}$/],
    ['每日 报告', /^每日-报告=[0-9a-f]{16}$/],
    ['..', /^name=[0-9a-f]{16}$/],
    ['../../etc/passwd', /^etc-passwd=[0-9a-f]{16}$/],
  ])('of %s can be read', (name, slug) => {
    expect(slugOf(name)).toMatch(slug);
  });

  const names = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 100 })
    .filter((name) => givenNameProblem(name) === undefined);

  it('is a short, plain file name', () => {
    fc.assert(
      fc.property(names, (name) => {
        expect(slugOf(name)).toMatch(/^[\p{L}\p{N}_][\p{L}\p{N}\p{M}_.=-]*$/u);
        expect(Buffer.byteLength(slugOf(name))).toBeLessThanOrEqual(64);
      }),
    );
  });

  it('is never shared, also where a name looks like the slug of another and where files have no case', () => {
    fc.assert(
      fc.property(names, names, (first, second) => {
        for (const [one, other] of [
          [first, second],
          [first, slugOf(first)],
          [`${first} `.repeat(2), first],
        ] as const) {
          if (foldedName(one) === foldedName(other) || givenNameProblem(one) !== undefined) continue;
          expect(slugOf(one).toLowerCase()).not.toBe(slugOf(other).toLowerCase());
        }
      }),
    );
  });

  it('is the same for every form of a name', () => {
    fc.assert(
      fc.property(names, (name) => {
        expect(slugOf(name.normalize('NFD'))).toBe(slugOf(name));
        expect(slugOf(` ${name} `)).toBe(slugOf(name));
      }),
    );
  });
});
