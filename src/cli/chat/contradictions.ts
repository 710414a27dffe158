// What the person said that cannot all be true: asked about where they are, when a chat begins. Answered with the commands that the line names.
import { factLog } from '../../operations/memory-facts.ts';
import type { OperationContext } from '../../operations/operation.ts';

const MOST_SHOWN = 3;

export async function contradictionLines(operating: OperationContext): Promise<string[]> {
  const { proposals } = await factLog.run({ limit: 1 }, operating);
  const open = proposals.filter(({ why, otherText }) => why === 'contradicts' && otherText !== undefined);
  const lines = open
    .slice(0, MOST_SHOWN)
    .map(
      ({ number, text, otherText }) =>
        `Which is true? "${text}" → lainclaw memory accept ${number}, or "${otherText}" → lainclaw memory reject ${number}`,
    );
  const more = open.length - lines.length;
  return more > 0 ? [...lines, `${more} more like this: lainclaw memory log`] : lines;
}
