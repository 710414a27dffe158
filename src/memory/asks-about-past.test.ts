import { expect, it } from 'vitest';
import { asksAboutPast } from './asks-about-past.ts';

it.each([
  'what did I work on before?',
  'how did I use to drink my coffee?',
  'who was my former manager?',
  'what was my old phone?',
  '我以前住在哪里？',
  '发布原先定在哪一天？',
  'где я жила раньше?',
  'кто мой бывший руководитель?',
])('%s is about the past', (question) => expect(asksAboutPast(question)).toBe(true));

it.each([
  'where do I live?',
  'which team do I work on?',
  'where is my phone?',
  '我住在哪个城市？',
  'какой у меня телефон?',
  'when is the release?',
])('%s is about now', (question) => expect(asksAboutPast(question)).toBe(false));
