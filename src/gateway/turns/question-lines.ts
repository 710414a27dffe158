// What the turns of the gateway ask, for a terminal beside it: one JSON line for each question, and one for its end. Questions of another terminal stay there:
// somebody sits at it.
import type { FormResolution, PermissionResolution, TurnQuestion } from '../../pipeline/questions.ts';
import type { TurnHub } from './turn-hub.ts';

export const QUESTIONS_PATH = '/api/questions';

export type QuestionLine =
  | { kind: 'asked'; question: TurnQuestion; sessionKey: string; chat?: string }
  /** Without a resolution nobody here knows how it ended. */
  | { kind: 'ended'; questionId: string; resolution?: PermissionResolution | FormResolution };

/** Turns of other gateways tell their questions without events. */
const LOOK_MS = 1_000;

/** Begins with what is open now. Returns what ends it. */
export function tellQuestions(
  hub: Pick<TurnHub, 'watch' | 'questions' | 'turn'>,
  tell: (line: QuestionLine) => void,
): () => void {
  const told = new Set<string>();

  function look(): void {
    const open = new Map(hub.questions().map((question) => [question.id, question]));
    for (const questionId of told) if (!open.has(questionId)) end({ kind: 'ended', questionId });
    for (const question of open.values()) {
      const turn = hub.turn(question.turnId);
      const isOfTerminal = turn?.isRemote && !turn.isElsewhere;
      if (!turn || isOfTerminal || told.has(question.id)) continue;
      told.add(question.id);
      tell({ kind: 'asked', question, sessionKey: turn.sessionKey, ...(turn.chat && { chat: turn.chat }) });
    }
  }

  function end(line: Extract<QuestionLine, { kind: 'ended' }>): void {
    if (told.delete(line.questionId)) tell(line);
  }

  const unwatch = hub.watch({
    onEvent(_turn, _number, event) {
      if (event.type === 'permission-request' || event.type === 'form-request') look();
      else if (event.type === 'permission-resolved' || event.type === 'form-resolved')
        end({ kind: 'ended', questionId: event.questionId, resolution: event.resolution });
    },
    onEnd: look,
  });
  const looking = setInterval(look, LOOK_MS).unref();
  look();
  return () => {
    unwatch();
    clearInterval(looking);
  };
}
