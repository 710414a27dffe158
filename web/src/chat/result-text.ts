import type { ToolResult } from '../../../src/tools/tool.ts';

/** What a person reads of a result, by the name that tools give it; the first that is there. */
const READ = ['diff', 'output', 'content', 'answer'] as const;

/** The words of a result as they are; of a result without any its data. */
export function resultText({ data }: Pick<ToolResult, 'data'>): string {
  if (data === undefined || data === null) return '';
  if (typeof data === 'string') return data;
  if (typeof data !== 'object') return JSON.stringify(data);
  const fields = data as Record<string, unknown>;
  const name = READ.find((each) => typeof fields[each] === 'string');
  if (name === undefined) return JSON.stringify(data, null, 2);
  const text = fields[name] as string;
  const { exitCode } = fields;
  const failed = typeof exitCode === 'number' && exitCode !== 0 ? `[exit code ${exitCode}]` : '';
  return [text.trimEnd(), failed].filter((line) => line !== '').join('\n');
}
