// Questions of a turn as they read in a chat: exactly what would happen, how to answer, and what became of it.

import type { Button } from '../../channels/channel.ts';
import type { FormResolution, PermissionRequest, PermissionResolution, Resolution } from '../../pipeline/questions.ts';
import type { Scope } from '../../tools/permissions/decision.ts';
import type { Question } from '../../tools/permissions/question.ts';

const LABELS: Record<Scope, string> = { once: 'Once', session: 'This session', always: 'Always' };
const SHOWN_CHARACTERS = 6_000;

/** A question as a message. */
export interface QuestionMessage {
  markdown: string;
  buttons: Button[];
}

/** Of a long one the beginning, and how to see the rest. */
export function permissionMessage({ id, permission }: PermissionRequest): QuestionMessage {
  const { verdict, preview } = permission;
  const { question, reasons, scopes, rememberAs } = verdict;
  const exact = preview?.text ?? question.exact;
  const isLong = exact.length > SHOWN_CHARACTERS;
  const isCut = isLong || preview?.isCut === true;
  const shown = isLong
    ? `${exact.slice(0, SHOWN_CHARACTERS)}\n… ${exact.length - SHOWN_CHARACTERS} more characters`
    : exact;
  const why = reasons.length > 0 ? `\n${reasons.map((reason) => `- ${reason}`).join('\n')}\n` : '';
  const kept =
    scopes.includes('always') && rememberAs.length > 0
      ? `\nAlways: ${rememberAs.map(code).join(', ')}, in this folder only\n`
      : '';
  const words = scopes.filter((scope) => scope !== 'once').map((scope) => `\`/approve ${id} ${scope}\``);
  const rest = isCut ? [`\`/show ${id}\` shows all of it`] : [];
  const how = [`\`/approve ${id}\``, ...words, `\`/deny ${id}\``, ...rest].join(' · ');
  return {
    markdown: `**${question.title}**\n\n${fenced(shown, preview ? 'diff' : '')}\n${why}${kept}\n${how}`,
    buttons: [
      ...scopes.map(
        (scope, index): Button => ({
          label: capitalised(question.answers?.[scope]) ?? LABELS[scope],
          value: `approve:${id}:${scope}`,
          ...(index === 0 && { tone: 'primary' }),
        }),
      ),
      { label: 'No', value: `deny:${id}`, tone: 'danger' },
      ...(isCut ? [{ label: 'Show all', value: `show:${id}` }] : []),
    ],
  };
}

/** `approve:<id>:<scope>` or `deny:<id>`, as buttons carry it. */
export function parseButton(value: string): { id: string; scope: Scope | undefined } | undefined {
  const [, id, scope] = /^approve:([\w-]+)(?::(once|session|always))?$/.exec(value) ?? [];
  if (id !== undefined) return { id, scope: (scope as Scope | undefined) ?? 'once' };
  const [, denied] = /^deny:([\w-]+)$/.exec(value) ?? [];
  return denied === undefined ? undefined : { id: denied, scope: undefined };
}

/** `answers`: what the question called them. */
export function permissionEnding(resolution: PermissionResolution, answers?: Question['answers']): string {
  if (resolution.ending !== 'answered') return unanswered(resolution, 'not allowed');
  const { scope } = resolution.answer;
  if (scope && answers) return `${capitalised(answers[scope])} (${whoAnswered(resolution)}).`;
  return `${scope ? `Allowed ${LABELS[scope].toLowerCase()}` : 'Not allowed'} (${whoAnswered(resolution)}).`;
}

export function formEnding(resolution: FormResolution): string {
  if (resolution.ending !== 'answered') return unanswered(resolution, 'declined');
  return `${resolution.answer.action === 'accept' ? 'Sent' : 'Declined'} (${whoAnswered(resolution)}).`;
}

function unanswered({ ending }: { ending: string }, meaning: string): string {
  return ending === 'expired' ? `Nobody answered in time: ${meaning}.` : 'Not needed any more.';
}

/** Names the place where it was answered, unless it is this chat. */
function whoAnswered({ by, place }: Extract<Resolution<unknown>, { ending: 'answered' }>): string {
  if (place === 'chat' || place === 'program') return by;
  return `${by}, ${place === 'terminal' ? 'at the terminal' : 'in the console'}`;
}

/** A span of code; backticks within are doubled around. */
function code(text: string): string {
  const fence = '`'.repeat(Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
  return fence.length > 1 ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

/** A fence longer than any within. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function capitalised(text: string | undefined): string | undefined {
  return text && `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
