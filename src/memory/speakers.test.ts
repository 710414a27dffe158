import { expect, it } from 'vitest';
import type { ArchiveChunk } from '../storage/archive.ts';
import { createAnalyser } from './analysis/analyser.ts';
import { isSaidByAsked, withoutSpeakers } from './speakers.ts';

const analyser = createAnalyser();
const said = (speaker?: string): ArchiveChunk => ({
  id: 1,
  document: { id: 'd', scope: 'owner', source: 's', date: '', hash: '', ...(speaker !== undefined && { speaker }) },
  position: 0,
  context: '',
  text: '',
  length: 0,
  chunksOfDocument: 1,
});
const rest = (question: string, ...speakers: (string | undefined)[]): string =>
  withoutSpeakers(question, speakers.map(said), analyser);

it('leaves the names of speakers out of what a question means, in each language', () => {
  expect(rest("What is the name of Karl's sourdough?", 'Karl', 'Ines')).toBe('What is the name of sourdough?');
  expect(rest('Did Maya Lin and Tom sell the boat tomorrow?', 'Maya Lin', 'Tom')).toBe(
    'Did and sell the boat tomorrow?',
  );
  expect(rest('张伟喜欢什么乐器？', '张伟')).toBe('喜欢什么乐器？');
  expect(rest('Какую собаку завела Анна?', 'Анна')).toBe('Какую собаку завела ?');
});

it('leaves a question alone that names nobody who spoke, or nothing else', () => {
  expect(rest('Where does  Peter live?', 'Karl', undefined)).toBe('Where does Peter live?');
  expect(rest('Where does  Peter live?')).toBe('Where does  Peter live?');
  expect(rest('Who is Karl?', 'Karl')).toBe('Who is Karl?');
  expect(rest('What did the user tell the assistant?', 'user', 'assistant')).toBe(
    'What did the user tell the assistant?',
  );
});

it('knows who is asked about, but for roles', () => {
  expect(isSaidByAsked(said('Karl'), analyser.query("What is Karl's dog called?"), analyser)).toBe(true);
  expect(isSaidByAsked(said('Ines'), analyser.query("What is Karl's dog called?"), analyser)).toBe(false);
  expect(isSaidByAsked(said('user'), analyser.query('What did the user say?'), analyser)).toBe(false);
});
