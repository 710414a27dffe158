// What a chunk is found by: its words, and the times that it names.
import type { TermsOf } from '../storage/archive.ts';
import { type Analyser, createAnalyser } from './analysis/analyser.ts';
import { indexedText } from './rank.ts';
import { timeTerms } from './time/time-terms.ts';

export function createTermsOf(analyser: Analyser = createAnalyser()): TermsOf {
  return (chunk) => [...analyser.terms(indexedText(chunk)), ...timeTerms(chunk)];
}
