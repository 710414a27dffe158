// What the turns of the gateway ask while a chat is open: on a phone, in a browser, of a sub-agent. Shown without taking the keyboard away from the person who
// types; answered with a command, or where else it is asked. The first answer counts.
import { AnsweredElsewhere, answeredInWords } from '../../gateway/turns/answering.ts';
import type { QuestionLine } from '../../gateway/turns/question-lines.ts';
import type { AnswerOutcome, QuestionAnswer } from '../../gateway/turns/questions.ts';
import type { Scope } from '../../tools/permissions/decision.ts';
import { describeQuestion, offeredAnswers } from '../ask-permission.ts';
import type { Colors } from '../colors.ts';
import { printable } from '../terminal.ts';
import type { ChatCommand } from './commands.ts';
import type { ChatPerson } from './person.ts';

type Asked = Extract<QuestionLine, { kind: 'asked' }>;
type Ended = Extract<QuestionLine, { kind: 'ended' }>;

export interface AskedElsewhereDependencies {
  colors: Colors;
  person: Pick<ChatPerson, 'askPerson' | 'askForm'>;
  /** Shows the question, and returns how its answer is shown below it. */
  show(question: string): (answer: string) => void;
  answer(questionId: string, answer: QuestionAnswer): Promise<AnswerOutcome>;
}

export interface AskedElsewhere {
  take(line: QuestionLine): void;
  /** Answers the one question that is open, or the one of this id; undefined scope: no. Resolves with why not. */
  answer(scope: Scope | undefined, id?: string): Promise<string | undefined>;
  /** `/answer`: asks here. */
  command: ChatCommand;
}

interface Open {
  asked: Asked;
  answered(answer: string): void;
  over: AbortController;
}

export function createAskedElsewhere(dependencies: AskedElsewhereDependencies): AskedElsewhere {
  const { colors, person, show } = dependencies;
  const open = new Map<string, Open>();

  function take(line: QuestionLine): void {
    if (line.kind === 'asked') {
      const answered = show(describeAsked(line, colors));
      open.set(line.question.id, { asked: line, answered, over: new AbortController() });
    } else {
      const found = open.get(line.questionId);
      open.delete(line.questionId);
      found?.answered(`→ ${endingOf(line)}`);
      found?.over.abort(new AnsweredElsewhere(endingOf(line)));
    }
  }

  /** A text says why none is meant. */
  function meant(id: string | undefined): Open | string {
    const [first, ...more] = open.values();
    if (!first) return 'Nothing is asked for.';
    const found = id === undefined && more.length === 0 ? first : open.get(id ?? '');
    return found ?? `These are open: ${[...open.keys()].map((each) => `\`${each}\``).join(', ')}. Name one of them.`;
  }

  async function send(id: string, given: QuestionAnswer): Promise<string | undefined> {
    const outcome = await dependencies.answer(id, given).catch((error: Error) => error);
    if (outcome instanceof Error) return `The gateway did not take the answer: ${outcome.message}`;
    if (outcome.kind === 'refused' || outcome.kind === 'invalid') return outcome.message;
    return outcome.kind === 'unknown' ? 'This question is not open any more.' : undefined;
  }

  const ask = async ({ asked, over }: Open): Promise<QuestionAnswer | undefined> => {
    const { question } = asked;
    try {
      if ('form' in question) return { kind: 'form', answer: await person.askForm(question.form, over.signal) };
      const scope = await person.askPerson(question.permission, over.signal);
      return scope ? { kind: 'allow', scope } : { kind: 'deny' };
    } catch (error) {
      // Somebody else was first, and the question shows it.
      if (over.signal.aborted) return undefined;
      throw error;
    }
  };

  return {
    take,
    async answer(scope, id) {
      const found = meant(id);
      if (typeof found === 'string') return found;
      const { question } = found.asked;
      if ('form' in question && scope) return `It asks for more than a yes: \`/answer ${question.id}\` shows it.`;
      if ('permission' in question && scope && ![...offeredAnswers(question.permission).keys.values()].includes(scope))
        return 'This cannot be allowed for longer than once.';
      return send(question.id, scope ? { kind: 'allow', scope } : { kind: 'deny' });
    },
    command: {
      name: 'answer',
      usage: '/answer [question]',
      about: 'answer what a turn on a phone, in the browser or in the background asks',
      isImmediate: true,
      complete: async () => [...open.keys()],
      async run(argument) {
        const found = meant(argument === '' ? undefined : argument);
        if (typeof found === 'string') return found;
        const given = await ask(found);
        return given && send(found.asked.question.id, given);
      },
    },
  };
}

function describeAsked({ question, chat, sessionKey }: Asked, colors: Colors): string {
  const { id } = question;
  const where = printable(chat === undefined ? `the session ${sessionKey}` : chat);
  const what =
    'form' in question
      ? colors.yellow(`? ${printable(question.form.message)}`)
      : describeQuestion(question.permission, colors);
  const how =
    'form' in question
      ? `/answer ${id} answers it here`
      : `/answer ${id} answers it here; /approve ${id} allows it once, /deny ${id} refuses it`;
  return [colors.dim(`Asked in ${where}:`), what, colors.dim(`  ${how}`)].join('\n');
}

function endingOf({ resolution }: Ended): string {
  if (resolution?.ending === 'answered') return answeredInWords(resolution);
  return resolution?.ending === 'expired' ? 'nobody answered in time' : 'not asked any more';
}
