import type { WebSource } from '../../adapters/adapter.ts';
import type { SearchQuestion } from './search-services.ts';

export interface ModelSearchAnswer {
  provider: string;
  /** What the model wrote about the pages. */
  text: string;
  /** Pages that the answer cites come first. */
  sources: readonly WebSource[];
}

/** Asks the provider of the turn's model to search. Rejects with a ToolFailure that says what to do. */
export type SearchWithModel = (question: SearchQuestion, signal: AbortSignal) => Promise<ModelSearchAnswer>;
