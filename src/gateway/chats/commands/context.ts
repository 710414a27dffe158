import { type ContextReport, percentFull, sizeOfReport } from '../../../pipeline/context-size.ts';
import { defineChatCommand } from './command.ts';

export const contextCommand = defineChatCommand<'chat.context'>({
  name: 'context',
  usage: '/context',
  about: "what fills the model's context window",
  isRepeatable: true,
  isImmediate: false,
  read: () => ({ operation: 'chat.context', input: {} }),
  render: ({ context }) => (context ? written(context) : 'This conversation has not begun.'),
});

function written(report: ContextReport): string {
  const { model, windowTokens, budgetTokens, system, instructions, tools, memory, recalled, summary, history } = report;
  const size = sizeOfReport(report);
  const share = windowTokens === undefined ? '' : ` of ${grouped(windowTokens)} (${percentFull(size)} %)`;
  return [
    `About ${grouped(size.tokens)} tokens${share}${model === undefined ? '' : `, \`${model}\``}`,
    '',
    `- System: ${grouped(system)}`,
    `- Tools: ${grouped(tools)} (${report.toolCount})`,
    `- Instructions: ${grouped(instructions)}`,
    `- Core memory: ${grouped(memory)}`,
    ...(recalled > 0 ? [`- Recalled for the last question: ${grouped(recalled)}`] : []),
    ...(summary > 0 ? [`- Summary of older messages: ${grouped(summary)}`] : []),
    `- History: ${grouped(history)} (${report.messageCount} messages); summarised beyond ${grouped(budgetTokens)}`,
  ].join('\n');
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
