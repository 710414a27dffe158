// The one place that bounds what a model sees. A longer text keeps its head and its tail; the whole goes to disk and
// the cut says where.
import { wholeCharacters } from '../lib/whole-characters.ts';

const MODEL_TEXT_LIMIT = 40_000;
const HEAD_SHARE = 0.75;

export interface BoundedText {
  text: string;
  /** Where the whole text is, when it was cut. */
  fullOutputPath?: string;
}

export type KeepOutput = (text: string) => Promise<string>;

export async function boundText(
  text: string,
  keep: KeepOutput,
  limit: number = MODEL_TEXT_LIMIT,
): Promise<BoundedText> {
  if (text.length <= limit) return { text };
  const fullOutputPath = await keep(text);
  const head = wholeCharacters(text.slice(0, Math.floor(limit * HEAD_SHARE)));
  const tail = wholeCharacters(text.slice(-Math.floor(limit * (1 - HEAD_SHARE))));
  const cut = text.length - head.length - tail.length;
  return { text: `${head}\n[… ${cut} characters cut; the whole is in ${fullOutputPath} …]\n${tail}`, fullOutputPath };
}
