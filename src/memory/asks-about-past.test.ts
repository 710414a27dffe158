import { expect, it } from 'vitest';
import { asksAboutPast, asksWhatWasBefore } from './asks-about-past.ts';

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

it.each([
  'what did I do before?',
  'And what did we use to do?',
  'what was I originally?',
  '我以前做什么？',
  '我们之前是做什么的呢？',
  '我過去在做什麼？',
  'чем я занимался раньше?',
  'А что мы делали прежде?',
  'кем я была раньше?',
])('%s has no subject but what was before', (question) => expect(asksWhatWasBefore(question)).toBe(true));

it.each([
  'what did I do?',
  'what did I eat before?',
  'what did Ada do before?',
  'what did I say before?',
  'did I do it before?',
  'what is it called before a release?',
  '我以前住在哪里？',
  '你以前做什么？',
  'чем я занимаюсь?',
  'где я жила раньше?',
])('%s has a subject, or is about something else', (question) => expect(asksWhatWasBefore(question)).toBe(false));
