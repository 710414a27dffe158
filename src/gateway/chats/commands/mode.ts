import { MODES, type Mode } from '../../../config/mode.ts';
import { defineChatCommand } from './command.ts';

const ABOUT: Record<Mode, string> = {
  ask: 'what does more than read asks first',
  'accept-edits': 'edits of ordinary files run; the rest asks first',
  plan: 'nothing but reading runs, until you approve the plan',
  auto: 'what would ask runs; what content from outside could misuse still asks',
  never: 'what would ask is refused',
};

export const modeCommand = defineChatCommand<'chat.show' | 'chat.setMode'>({
  name: 'mode',
  usage: `/mode [${MODES.join('|')}]`,
  about: 'what asks for permission here, or change it',
  isRepeatable: true,
  isImmediate: true,
  read(argument) {
    if (argument === '') return { operation: 'chat.show', input: {} };
    const mode = MODES.find((each) => each === argument);
    if (mode) return { operation: 'chat.setMode', input: { mode } };
    return [`\`/mode ${argument}\` is not accepted. There are:`, ...MODES.map((each) => lineOf(each))].join('\n');
  },
  render({ mode }, argument) {
    if (argument !== '') return `Mode \`${mode}\`: ${ABOUT[mode]}.`;
    return MODES.map((each) => lineOf(each, mode)).join('\n');
  },
});

function lineOf(mode: Mode, now?: Mode): string {
  return `- \`${mode}\`${mode === now ? ' (now)' : ''}: ${ABOUT[mode]}`;
}
