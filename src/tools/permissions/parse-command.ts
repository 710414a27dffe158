// A command text → every simple command it would execute. The text is read by a real bash parser; whatever the parser
// reports, recovers from or leaves out makes the text unreadable, and so does anything a reader could not see (control and
// invisible characters), could not check in time (too long, too deep) or that bash and the parser read differently.
// Unreadable texts keep the commands found so far: deny rules still apply to them.
// What is analysed must be what is executed: run exactly this text with `bash -c`, in the environment of
// guarded-environment.ts, and nothing else.
import type { Statement } from 'unbash';
import type { CommandParser, CommandReading } from './command.ts';
import { createNotes, readText } from './read-script.ts';
import { type BashSyntax, Unreadable } from './reading.ts';

/** Format characters (zero width, direction), blanks other than space, fillers and variation selectors. */
const INVISIBLE = /\p{Cf}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\p{Variation_Selector}|[\u115f\u1160\u3164\uffa0]/u;

const MAX_COMMAND_LENGTH = 10_000;
/** Reading nested ones takes time that grows with their square. */
const MAX_EXPANSIONS = 200;

/** Loads the bash parser (about 15 ms the first time): call it where the first command is judged, not at start-up. */
export async function createCommandParser(): Promise<CommandParser> {
  const syntax: BashSyntax = await import('unbash');
  return (text) => parseCommand(text, syntax);
}

/** Never throws. */
function parseCommand(text: string, syntax: BashSyntax): CommandReading {
  const objection = objectionTo(text);
  const notes = createNotes(syntax);
  if (objection !== undefined) return { parsed: false, text, reason: objection, commands: [] };
  try {
    const script = readText(text, { context: [], via: [], depth: 0, pipedFrom: undefined }, notes);
    const { commands, redefines, unseen } = notes;
    return { parsed: true, text, commands, redefines, unseen, leadingCd: leadingCd(script.commands) };
  } catch (error) {
    const reason = error instanceof Unreadable ? error.message : 'the text could not be read';
    return { parsed: false, text, reason, commands: notes.commands };
  }
}

function objectionTo(text: string): string | undefined {
  if (text.length > MAX_COMMAND_LENGTH) return `the text is longer than ${MAX_COMMAND_LENGTH} characters`;
  if (!text.isWellFormed()) return 'the text is not valid Unicode';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text)) return 'the text contains control characters';
  if (INVISIBLE.test(text)) return 'the text contains invisible characters';
  if ((text.match(/[$<>]\(|`|\$\{/g)?.length ?? 0) > MAX_EXPANSIONS)
    return `there are more than ${MAX_EXPANSIONS} expansions`;
  // A continued line inside a word, and the old $[ ] arithmetic, are read differently by the parser and by bash.
  if (/(?<![ \t])\\\n/.test(text)) return 'a line is continued in the middle of a word';
  if (text.includes('$[')) return 'the text uses $[ ]';
  // A command in bash 5.3, an error in 5.2 that does not stop what follows.
  if (/\$\{[\s|]/.test(text)) return 'the text uses a substitution in braces, which versions of bash read differently';
  return undefined;
}

/** `cd somewhere && …` at the very start: from there on, relative paths start there. */
function leadingCd(statements: readonly Statement[]): { target: string; certain: boolean } | undefined {
  const [first, ...others] = statements;
  const list = first?.command.type === 'AndOr' ? first.command : undefined;
  const command = list?.commands[0] ?? first?.command;
  if (!first || first.background || command?.type !== 'Command' || command.name?.text !== 'cd') return undefined;
  const [target, ...more] = command.args;
  if (target?.type !== 'Word' || more.length > 0 || command.prefix.length > 0) return undefined;
  const plain =
    !target.parts || target.parts.every((part) => /^(?:Literal|SingleQuoted|DoubleQuoted)$/.test(part.type));
  if (!plain || /[$`*?[\\]/.test(target.text)) return undefined;
  const certain = others.length === 0 && list !== undefined && list.operators.every((operator) => operator === '&&');
  return { target: target.value, certain };
}
