import { expect, it } from 'vitest';
import { languageOf } from './language-of.ts';

it.each([
  ['hello', 'en'],
  ['', 'en'],
  ['12345 !?', 'en'],
  ['😀', 'en'],
  ['bonjour, ça va', 'en'],
  ['你好', 'zh'],
  ['请用 TypeScript 写代码', 'zh'],
  ['帮我 please', 'zh'],
  ['привет', 'ru'],
  ['запусти npm', 'ru'],
  ['Please translate 你 into English for me, thank you', 'en'],
  ['please run the тест suite', 'en'],
] as const)('%s is %s', (text, language) => {
  expect(languageOf(text)).toBe(language);
});
