// The question put to a person: what would happen, exactly. Characters that a terminal would obey or hide are spelled out,
// so that what is read is what is run.
import { fillIn, type Values, type Worded } from '../../vocabulary/worded.ts';
import type { ToolCall, ToolEffect } from '../tool.ts';
import { TITLES, type TitleCode } from './question-titles.ts';

export interface Question {
  title: string;
  /** The sentences of the title, for those who word it in another language. */
  titleParts: readonly Worded<TitleCode>[];
  /** Exactly what will run or be written. */
  exact: string;
  /** The parts that need the answer, one by one. */
  parts: readonly string[];
  /** What the answers mean, where it is not how long they hold. */
  answers?: Readonly<Record<'once' | 'session' | 'always', string>>;
}

export function commandQuestion(
  command: string,
  directory: string,
  parts: readonly string[],
  runs?: 'in-background' | 'typed-into-process',
): Question {
  const title = titled(runs ?? 'at-once', { directory: visible(directory) });
  return { ...title, exact: visible(command), parts: parts.map(visible) };
}

export function fileQuestion(effect: ToolEffect, call: ToolCall, path: string): Question {
  const { content, oldText, newText } = call.args;
  const exact =
    typeof oldText === 'string' && typeof newText === 'string'
      ? `${prefixed('-', oldText)}\n${prefixed('+', newText)}`
      : typeof content === 'string'
        ? content
        : JSON.stringify(call.args, null, 2);
  const code = effect === 'read' ? 'read' : typeof oldText === 'string' ? 'edit' : 'write';
  return { ...titled(code, { path: visible(path) }), exact: visible(exact), parts: [visible(path)] };
}

export function callQuestion(call: ToolCall): Question {
  const exact = visible(JSON.stringify(call.args, null, 2));
  return { ...titled('call', { tool: call.name }), exact, parts: [call.name] };
}

/** Each answer says in which mode the work continues: see PLAN_ANSWERS in policy.ts. */
export function planQuestion(plan: string): Question {
  return {
    ...titled('plan'),
    exact: visible(plan),
    parts: [],
    answers: { once: 'yes, ask before each change', session: 'yes, accept edits', always: 'yes, in auto mode' },
  };
}

const MOST_IN_TITLE = 3;

/** The same question about a call that also reaches these hosts. */
export function reaching(question: Question, hosts: readonly string[]): Question {
  const isMany = hosts.length > MOST_IN_TITLE;
  const code = isMany ? 'reaches-many' : 'reaches';
  const values: Values = isMany ? { count: hosts.length } : { hosts: hosts.join(', ') };
  return {
    ...question,
    title: question.title.replace(/\?$/, () => fillIn(TITLES[code], values)),
    titleParts: [...question.titleParts, { code, values }],
  };
}

function titled(code: TitleCode, values: Values = {}): Pick<Question, 'title' | 'titleParts'> {
  return { title: fillIn(TITLES[code], values), titleParts: [{ code, values }] };
}

/** Control, direction and zero-width characters and odd blanks as \u{…}; line ends and tabs stay. */
export function visible(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be shown
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\p{Variation_Selector}|[\u115f\u1160\u3164\uffa0]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

function prefixed(mark: string, text: string): string {
  return text
    .split('\n')
    .map((line) => `${mark} ${line}`)
    .join('\n');
}
