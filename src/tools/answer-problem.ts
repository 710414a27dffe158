import type { Asker } from '../vocabulary/asker.ts';

/** Why an answer to this chat would be refused, and what the owner can do; undefined when it would go there. */
export type AnswerProblem = (chat: string, asker: Asker) => Promise<string | undefined>;
