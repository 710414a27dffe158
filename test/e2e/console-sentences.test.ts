// What the program says by code has a text in each language of the console.
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ModelFailureCode } from '../../src/adapters/adapter.ts';
import { FINDING_TEXTS, FIX_TEXTS } from '../../src/operations/doctor-texts.ts';
import { TITLES } from '../../src/tools/permissions/question-titles.ts';
import { REASONS, readReasons, reasonText } from '../../src/vocabulary/reasons.ts';
import { ru as auditRu } from '../../web/src/language/audit/audit-ru.ts';
import { reasonsText } from '../../web/src/language/audit/audit-texts.ts';
import { zh as auditZh } from '../../web/src/language/audit/audit-zh.ts';
import { ru as doctorRu } from '../../web/src/language/doctor/doctor-ru.ts';
import { zh as doctorZh } from '../../web/src/language/doctor/doctor-zh.ts';
import { ru as errorsRu } from '../../web/src/language/errors/errors-ru.ts';
import { zh as errorsZh } from '../../web/src/language/errors/errors-zh.ts';

type Table = Readonly<Record<string, string>>;

/** The values of a sentence, without those that follow it. */
const valuesIn = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)(?::[^}]*)?\}/g)]
    .flatMap(([, name = '']) => (name === 'reasons' || name === 'because' ? [] : [name]))
    .toSorted();

describe.each<[string, Table, Table, Table]>([
  ['findings of the doctor', FINDING_TEXTS, doctorZh.findings, doctorRu.findings],
  ['advice of the doctor', FIX_TEXTS, doctorZh.fixes, doctorRu.fixes],
  ['reasons of the audit log', REASONS, auditZh.reasons, auditRu.reasons],
  ['titles of questions', TITLES, auditZh.titles, auditRu.titles],
])('%s', (_name, english, zh, ru) => {
  it.each([
    ['Chinese', zh, /\p{Script=Han}/u],
    ['Russian', ru, /\p{Script=Cyrillic}/u],
  ] as const)('each has a text in %s, with the same values', (_language, texts, script) => {
    expect(Object.keys(texts).toSorted()).toEqual(Object.keys(english).toSorted());
    const valuesOf = (table: Table) =>
      Object.fromEntries(Object.keys(english).map((code) => [code, valuesIn(table[code] ?? '')]));
    expect(valuesOf(texts)).toEqual(valuesOf(english));
    // What is nothing but values says the same in every language.
    const worded = Object.entries(english).filter(([, text]) =>
      /\p{Script=Latin}/u.test(text.replace(/\{[^}]*\}|Node/g, '')),
    );
    expect(worded.filter(([code]) => !script.test(texts[code] ?? ''))).toEqual([]);
  });
});

/** How a turn can fail at its provider. */
const PROVIDER_FAILURES: Readonly<Record<Exclude<ModelFailureCode, 'cancelled'>, true>> = {
  auth: true,
  rate_limit: true,
  overloaded: true,
  context_length: true,
  network: true,
  protocol: true,
  refused: true,
};

describe('errors', () => {
  const sources = globSync('src/**/*.ts')
    .filter((path) => !/\.test\.ts$|^src.(?:cli|library).|\.d\.ts$/.test(path))
    .map((path) => readFileSync(path, 'utf8'));
  const thrown = sources.flatMap((text) =>
    [...text.matchAll(/new [A-Z]\w*\(\s*(?:\d{3},\s*)?'([A-Z][A-Z0-9_]+)'/g)].map(([, code = '']) => code),
  );
  /** `code: 'X'`, and `code = … ? 'X' : 'Y'`. */
  const chosen = sources
    .flatMap((text) => [...text.matchAll(/\bcode(?::|\s*=(?!=))([^;{}]*)/g)].map(([, value = '']) => value))
    .flatMap((value) => [...value.matchAll(/(?<!=\s*)'([A-Z][A-Z0-9_]+)'/g)].map(([, code = '']) => code));
  const declared = sources
    .flatMap((text) => [...text.matchAll(/type \w*Code\b\s*=([^;]+);/g)].map(([, union = '']) => union))
    .flatMap((union) => [...union.matchAll(/'([A-Z][A-Z0-9_]+)'/g)].map(([, code = '']) => code));
  const provider = Object.keys(PROVIDER_FAILURES).map((code) => `PROVIDER_${code.toUpperCase()}`);
  const codes = [...new Set([...thrown, ...chosen, ...declared, ...provider, 'NOT_ALLOWED'])].toSorted();

  it.each([
    ['Chinese', errorsZh, /\p{Script=Han}/u],
    ['Russian', errorsRu, /\p{Script=Cyrillic}/u],
  ] as const)(
    'each code that the gateway or a turn can answer with has a text in %s, and no other',
    (_language, texts, script) => {
      expect(codes).toContain('SESSION_NOT_FOUND');
      expect(codes.filter((code) => !(code in texts))).toEqual([]);
      expect(Object.keys(texts).filter((code) => !codes.includes(code))).toEqual([]);
      expect(Object.entries(texts).filter(([, text]) => !script.test(text))).toEqual([]);
    },
  );
});

describe('a reason of the audit log', () => {
  it('is worded with what led to it', () => {
    const asked = reasonText('protected', { path: '/home/ann/.npmrc', because: reasonText('credentials') });
    const reasons = readReasons(reasonText('approved-after', { reasons: `${asked}; because I say so` }));
    expect(reasonsText(reasons as never, auditRu)).toBe(
      'человек одобрил; спросили его потому, что: /home/ann/.npmrc под защитой: в нём учётные данные; because I say so',
    );
  });

  it('stays as it is where the log says something else, and on an English page', () => {
    expect(readReasons('the disk is full')).toBeUndefined();
    expect(reasonsText(undefined, auditZh)).toBeUndefined();
    expect(reasonsText(readReasons('it only reads') as never, undefined)).toBeUndefined();
  });
});
