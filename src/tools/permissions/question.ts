// The question put to a person: what would happen, exactly. Characters that a terminal would obey or hide are spelled out,
// so that what is read is what is run.
import type { ToolCall, ToolEffect } from '../tool.ts';

export interface Question {
  title: string;
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
  const titles = {
    'at-once': `Run in ${visible(directory)}?`,
    'in-background': `Run in ${visible(directory)} and keep it running in the background, for up to 24 hours?`,
    'typed-into-process': 'Type this into a command that runs in the background?',
  };
  return { title: titles[runs ?? 'at-once'], exact: visible(command), parts: parts.map(visible) };
}

export function fileQuestion(effect: ToolEffect, call: ToolCall, path: string): Question {
  const { content, oldText, newText } = call.args;
  const exact =
    typeof oldText === 'string' && typeof newText === 'string'
      ? `${prefixed('-', oldText)}\n${prefixed('+', newText)}`
      : typeof content === 'string'
        ? content
        : JSON.stringify(call.args, null, 2);
  const verb = effect === 'read' ? 'Read' : typeof oldText === 'string' ? 'Edit' : 'Write';
  return { title: `${verb} ${visible(path)}?`, exact: visible(exact), parts: [visible(path)] };
}

export function callQuestion(call: ToolCall): Question {
  return { title: `Allow ${call.name}?`, exact: visible(JSON.stringify(call.args, null, 2)), parts: [call.name] };
}

/** Each answer says in which mode the work continues: see PLAN_ANSWERS in policy.ts. */
export function planQuestion(plan: string): Question {
  return {
    title: 'Continue with this plan?',
    exact: visible(plan),
    parts: [],
    answers: { once: 'yes, ask before each change', session: 'yes, accept edits', always: 'yes, in auto mode' },
  };
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
