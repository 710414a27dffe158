import { defineTool } from '../define-tool.ts';
import { TOOL_CALL, TOOL_SEARCH } from '../folded-calls.ts';
import { noSubject } from '../subject.ts';
import type { FoldedTool, ToolSpec } from '../tool.ts';

const MOST = 5;

/** Shows the schemas of tools that were only named. */
export function createToolSearchTool(): ToolSpec {
  return defineTool({
    name: TOOL_SEARCH,
    schema: {
      type: 'object',
      properties: { query: { type: 'string', minLength: 1, maxLength: 500 } },
      required: ['query'],
      additionalProperties: false,
    },
    effect: 'read',
    subject: noSubject,
    async execute({ query }, { foldedTools }) {
      const folded = (await foldedTools?.()) ?? [];
      const found = best(folded, query);
      const names = folded.map(({ name }) => name);
      if (found.length === 0)
        return { data: { tools: [], names }, text: `No tool fits. There are: ${names.join(', ') || 'none'}` };
      const lines = found.map((tool) => `${tool.name}: ${tool.description}\n${JSON.stringify(tool.inputSchema)}`);
      return { data: { tools: found }, text: `Call with ${TOOL_CALL}:\n\n${lines.join('\n\n')}` };
    },
  });
}

/** A name that is asked for comes first, then tools by how many of the words they have. */
function best(tools: readonly FoldedTool[], query: string): FoldedTool[] {
  const words = wordsOf(query);
  const rated = tools.map((tool) => ({ tool, rate: rateOf(tool, words) }));
  const named = rated.filter(({ tool }) => words.includes(tool.name.toLowerCase()));
  const fitting = named.length > 0 ? named : rated.filter(({ rate }) => rate > 0).sort((a, b) => b.rate - a.rate);
  return fitting.slice(0, MOST).map(({ tool }) => tool);
}

function rateOf({ name, description }: FoldedTool, words: readonly string[]): number {
  const [inName, inText] = [name.toLowerCase(), description.toLowerCase()];
  return words.reduce((sum, word) => sum + (inName.includes(word) ? 3 : 0) + (inText.includes(word) ? 1 : 0), 0);
}

/** Also single characters of scripts without spaces. */
function wordsOf(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
  return words.flatMap((word) =>
    /\p{Script=Han}/u.test(word) ? (word.match(/.{1,2}/gsu) ?? []) : word.length > 1 ? [word] : [],
  );
}
