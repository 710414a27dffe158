// Permission questions in a chat: exactly what would happen, buttons where there are some, and a no unless the owner says
// otherwise in time. A question belongs to its chat; who is not an owner there cannot answer it.
import type { Button } from '../../channels/channel.ts';
import type { ChatKey } from '../../storage/mailbox.ts';
import type { Scope } from '../../tools/permissions/decision.ts';
import type { AskPerson, PermissionQuestion } from '../../tools/policy.ts';
import { nameOf } from './chat.ts';

const LABELS: Record<Scope, string> = { once: 'Once', session: 'This session', always: 'Always' };
const SHOWN_CHARACTERS = 12_000;

export interface ChatQuestion {
  chat: ChatKey;
  /** Names the question in commands and buttons. */
  id: string;
  markdown: string;
  buttons: Button[];
}

export interface ApprovalsOptions {
  expiresMs: number;
  newId(prefix: string): string;
}

/** How a question is shown, and what is left of it once it was answered. */
export interface ShowQuestion {
  show(question: ChatQuestion): Promise<void>;
  /** Best effort; nobody waits for it. */
  conclude(question: ChatQuestion, ending: string): void;
}

export type Answer = { chat: ChatKey; isOwner: boolean; id?: string; scope: Scope | undefined; by: string };

export interface Approvals {
  /** Whoever answers for the turns of a chat. */
  askIn(chat: ChatKey, shower: ShowQuestion): AskPerson;
  /** Returns what the person who answered is told; undefined when the question itself tells it. */
  answer(answer: Answer): string | undefined;
  waitingIn(chat: ChatKey): number;
}

interface Pending {
  question: ChatQuestion;
  scopes: readonly Scope[];
  settle(scope: Scope | undefined, ending: string): void;
}

export function createApprovals({ expiresMs, newId }: ApprovalsOptions): Approvals {
  const pending = new Map<string, Pending>();
  const inChat = (chat: ChatKey): Pending[] =>
    [...pending.values()].filter(({ question }) => nameOf(question.chat) === nameOf(chat));

  return {
    askIn:
      (chat, { show, conclude }) =>
      async (asked, signal) => {
        signal.throwIfAborted();
        const id = newId('q').slice(0, 8);
        const question = describeQuestion(chat, id, asked);
        // What cannot be shown whole cannot be approved; a diff stands for a file that can be looked at.
        if (!asked.preview && asked.verdict.question.exact.length > SHOWN_CHARACTERS) return undefined;
        const answered = Promise.withResolvers<{ scope: Scope | undefined; ending: string }>();
        const onAbort = (): void => answered.resolve({ scope: undefined, ending: 'Not needed any more.' });
        signal.addEventListener('abort', onAbort, { once: true });
        const expires = setTimeout(
          () => answered.resolve({ scope: undefined, ending: 'Nobody answered in time: not allowed.' }),
          expiresMs,
        );
        const { scopes } = asked.verdict;
        pending.set(id, { question, scopes, settle: (scope, ending) => answered.resolve({ scope, ending }) });
        try {
          await show(question);
          const { scope, ending } = await answered.promise;
          conclude(question, ending);
          signal.throwIfAborted();
          return scope;
        } finally {
          pending.delete(id);
          clearTimeout(expires);
          signal.removeEventListener('abort', onAbort);
        }
      },

    answer({ chat, isOwner, id, scope, by }) {
      const open = inChat(chat);
      if (open.length === 0) return 'Nothing is waiting for an answer: it was answered already, or has expired.';
      if (!isOwner) return 'Only the owner can answer this.';
      if (id === undefined && open.length > 1)
        return `Several questions are waiting: name the one you mean (${open.map((each) => each.question.id).join(', ')}).`;
      const found = id === undefined ? open[0] : open.find((each) => each.question.id === id);
      if (!found) return 'That question was answered already, or has expired.';
      if (scope !== undefined && !found.scopes.includes(scope))
        return `This can only be allowed ${found.scopes.map((each) => LABELS[each].toLowerCase()).join(' or ')}.`;
      found.settle(
        scope,
        scope === undefined ? `Not allowed (${by}).` : `Allowed ${LABELS[scope].toLowerCase()} (${by}).`,
      );
      return undefined;
    },

    waitingIn: (chat) => inChat(chat).length,
  };
}

/** `approve:<id>:<scope>` or `deny:<id>`, as buttons carry it. */
export function parseButton(value: string): { id: string; scope: Scope | undefined } | undefined {
  const [, id, scope] = /^approve:([\w-]+)(?::(once|session|always))?$/.exec(value) ?? [];
  if (id !== undefined) return { id, scope: (scope as Scope | undefined) ?? 'once' };
  const [, denied] = /^deny:([\w-]+)$/.exec(value) ?? [];
  return denied === undefined ? undefined : { id: denied, scope: undefined };
}

function describeQuestion(chat: ChatKey, id: string, { verdict, preview }: PermissionQuestion): ChatQuestion {
  const { question, reasons, scopes } = verdict;
  const exact = preview?.text ?? question.exact;
  const cut = exact.length > SHOWN_CHARACTERS;
  const shown = cut
    ? `${exact.slice(0, SHOWN_CHARACTERS)}\n… ${exact.length - SHOWN_CHARACTERS} more characters`
    : exact;
  const why = reasons.length > 0 ? `\n${reasons.map((reason) => `- ${reason}`).join('\n')}\n` : '';
  const words = scopes.filter((scope) => scope !== 'once').map((scope) => `\`/approve ${id} ${scope}\``);
  const how = [`\`/approve ${id}\``, ...words, `\`/deny ${id}\``].join(' · ');
  return {
    chat,
    id,
    markdown: `**${question.title}**\n\n${fenced(shown, preview ? 'diff' : '')}\n${why}\n${how}`,
    buttons: [
      ...scopes.map(
        (scope, index): Button => ({
          label: LABELS[scope],
          value: `approve:${id}:${scope}`,
          ...(index === 0 && { tone: 'primary' }),
        }),
      ),
      { label: 'No', value: `deny:${id}`, tone: 'danger' },
    ],
  };
}

/** A fence longer than any within. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
