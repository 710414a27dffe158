// The gateway that runs beside this process: it sees our turns, and we see what its turns ask.
import type { FollowedQuestions } from '../gateway/turns/follow-questions.ts';
import type { TurnPublisher } from '../gateway/turns/publish-turns.ts';
import type { QuestionLine } from '../gateway/turns/question-lines.ts';
import type { Base } from './base.ts';

export interface BesideGateway {
  /** Has the turns of this process seen there, until the runtime is closed. */
  publishTurns(): Promise<void>;
  /** Tells what its turns ask the owner, until `signal` fires. */
  followQuestions(onLine: (line: QuestionLine) => void, signal: AbortSignal): Promise<FollowedQuestions>;
  close(): Promise<void>;
}

export function createBesideGateway({ hub, storage }: Pick<Base, 'hub' | 'storage'>): BesideGateway {
  const publishers: TurnPublisher[] = [];
  const states = async () =>
    (await import('../gateway/service/service-state.ts')).createServiceStates(storage.machineFiles);
  return {
    async publishTurns() {
      const { publishTurns } = await import('../gateway/turns/publish-turns.ts');
      publishers.push(publishTurns(hub, await states()));
    },
    async followQuestions(onLine, signal) {
      const { followQuestions } = await import('../gateway/turns/follow-questions.ts');
      return followQuestions(await states(), onLine, signal);
    },
    async close() {
      await Promise.all(publishers.map((publisher) => publisher.close()));
    },
  };
}
