import { type KeptAttachment, readAttached } from './attached.ts';
import type { HistoryTurn } from './history.ts';
import type { SessionMessage } from './lines.ts';
import { toolContext, unfinishedCall } from './tool-context.ts';

export interface TurnContextParts {
  attachments: KeptAttachment[];
  /** What is in it besides them and the calls with their results, which the turn's journal holds. */
  rest: string;
}

/** What a turn left for later ones, without what is said elsewhere. */
export function contextParts({ content }: SessionMessage, { calls }: Pick<HistoryTurn, 'calls'>): TurnContextParts {
  const pairs = calls.map(({ call, effect, result }) => ({ call, text: result?.text ?? unfinishedCall(effect) }));
  const told = toolContext(pairs);
  const others = told !== '' && content.endsWith(told) ? content.slice(0, -told.length).trimEnd() : content;
  return readAttached(others);
}
