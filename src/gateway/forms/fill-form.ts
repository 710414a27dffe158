// A question of the model, or a form of an MCP server, put to a person line by line. A question takes one line. Of a form they see
// who asks, what for, and every field with what it would be otherwise; they accept it as it stands, fill it in and look at it once
// more, or decline, which is the default. Nothing else is ever sent. Where the lines come from, a terminal or a chat, is the
// screen's business.
import { printable } from '../../lib/printable.ts';
import { type FormAnswer, type FormRequest, type FormValue, withDefaults } from '../../mcp/elicitation.ts';
import { valueProblem } from '../../tools/validate.ts';
import { describeField, fillField, offeredValues, oneLine, shownValue } from './form-field.ts';

const SHOWN_LINES = 30;
const MOST_FIELDS = 50;

/** An answer that is offered, and what typing it would be. */
export interface FormChoice {
  label: string;
  typed: string;
}

export interface FormColors {
  bold(text: string): string;
  dim(text: string): string;
  yellow(text: string): string;
}

export interface FormScreen {
  /** What the person typed; undefined when they gave up. `choices` are the answers worth a button. */
  read(prompt: string, choices: readonly FormChoice[]): Promise<string | undefined>;
  write(text: string): void;
  colors: FormColors;
  /** How to give up while filling in. */
  giveUp: string;
}

const DECLINE: FormChoice = { label: 'Decline', typed: 'n' };

export async function answerForm(request: FormRequest, screen: FormScreen): Promise<FormAnswer> {
  const { server } = request;
  return server === undefined ? answerQuestion(request, screen) : answerServer({ ...request, server }, screen);
}

/** A form that a server asks for. */
type ServerForm = FormRequest & { server: string };

async function answerQuestion(
  { message, schema }: FormRequest,
  { read, write, colors }: FormScreen,
): Promise<FormAnswer> {
  const [name = 'answer', field = {}] = Object.entries(schema.properties)[0] ?? [];
  const suggestions = Array.isArray(field.examples) ? field.examples.map(String) : [];
  const lines = suggestions.map((each, index) => `  ${index + 1}. ${oneLine(each)}`);
  write(`\n${[colors.yellow('? ') + shortened(message, colors).join('\n').trimStart(), ...lines].join('\n')}\n`);
  const how = suggestions.length > 0 ? 'number, or your own words' : 'your answer';
  const typed = await read(
    `${colors.bold(how)} › `,
    suggestions.map((each, index) => ({ label: oneLine(each), typed: String(index + 1) })),
  );
  const answer = (typed ?? '').trim();
  if (answer === '') return { action: 'cancel' };
  return { action: 'accept', content: { [name]: suggestions[Number(answer) - 1] ?? answer } };
}

async function answerServer(request: ServerForm, screen: FormScreen): Promise<FormAnswer> {
  const { schema } = request;
  const { read, write, colors } = screen;
  const count = Object.keys(schema.properties).length;
  write(`\n${describe(request, colors)}\n`);
  if (count > MOST_FIELDS) {
    write(`  It wants ${count} fields, more than ${MOST_FIELDS}: declined.\n`);
    return { action: 'decline' };
  }
  const standsAsItIs = (await valueProblem(schema, withDefaults(schema, {}))) === undefined;
  const offered = [standsAsItIs && '[a] accept', count > 0 && '[f] fill in', '[N] decline'].filter(Boolean).join('  ');
  const typed = await read(`${colors.bold(offered)} › `, [
    ...(standsAsItIs ? [{ label: 'Accept', typed: 'a' }] : []),
    ...(count > 0 ? [{ label: 'Fill in', typed: 'f' }] : []),
    DECLINE,
  ]);
  if (typed === undefined) return { action: 'cancel' };
  const choice = typed.trim().toLowerCase();
  if (choice === 'a' && standsAsItIs) return { action: 'accept', content: {} };
  if (choice === 'f' && count > 0) return fillIn(request, screen);
  return { action: 'decline' };
}

async function fillIn(
  { server, schema }: ServerForm,
  { read, write, colors, giveUp }: FormScreen,
): Promise<FormAnswer> {
  const filled = new Map<string, FormValue>();
  for (const [name, field] of Object.entries(schema.properties)) {
    const isNeeded = (schema.required ?? []).includes(name) && field.default === undefined;
    const otherwise = field.default === undefined ? '' : ` [${shownValue(field.default)}]`;
    for (;;) {
      const typed = await read(`  ${oneLine(name)}${otherwise} › `, [
        ...offeredValues(field),
        ...(isNeeded ? [] : [{ label: 'Leave out', typed: '' }]),
      ]);
      if (typed === undefined) return { action: 'cancel' };
      if (typed.trim() === '' && !isNeeded) break;
      const taken = await fillField(field, typed);
      if (taken.ok && typed.trim() !== '') {
        filled.set(name, taken.value);
        break;
      }
      write(colors.dim(`  (${taken.ok ? 'it is required' : taken.problem}; ${giveUp})\n`));
    }
  }
  const content = Object.fromEntries(filled);
  const whole = withDefaults(schema, content);
  const problem = await valueProblem(schema, whole);
  if (problem !== undefined) {
    write(`  That is not what the server asked for (${oneLine(problem)}): declined.\n`);
    return { action: 'decline' };
  }
  const lines = Object.entries(whole).map(([name, value]) => `  ${oneLine(name)} = ${shownValue(value)}`);
  write(`${[colors.yellow(`? Send this to the server "${server}"?`), ...lines].join('\n')}\n`);
  const typed = await read(`${colors.bold('[y] send  [N] decline')} › `, [{ label: 'Send', typed: 'y' }, DECLINE]);
  if (typed === undefined) return { action: 'cancel' };
  return /^y(es)?$/i.test(typed.trim()) ? { action: 'accept', content } : { action: 'decline' };
}

function shortened(message: string, colors: FormColors): string[] {
  const said = printable(message).split('\n');
  const shown = said.slice(0, SHOWN_LINES).map((line) => `  ${line}`);
  return said.length > SHOWN_LINES ? [...shown, colors.dim(`  … ${said.length - SHOWN_LINES} more lines`)] : shown;
}

function describe({ server, message, schema }: ServerForm, colors: FormColors): string {
  const fields = Object.entries(schema.properties)
    .slice(0, MOST_FIELDS)
    .map(([name, field]) => `  - ${describeField(name, field, (schema.required ?? []).includes(name))}`);
  return [
    colors.yellow(`? The server "${server}" asks for input`),
    ...shortened(message, colors),
    ...fields,
    colors.dim('  (what you answer goes to this server: give it no passwords)'),
  ].join('\n');
}
