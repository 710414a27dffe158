// What a call showed while it ran is not said again by its result.
import { MOST_SHOWN } from '../tools/shell/progress-lines.ts';

/** `text` tells the result after `before`; `live` is all that was shown of it. What is left to say is returned. */
export function withoutShown(text: string, { before, result, live }: Shown): string {
  const output = outputOf(result).trim();
  // What was cut while it ran has an end that nobody has seen.
  if (live === '' || output === '' || live.length > MOST_SHOWN) return text;
  const lead = result.ok ? before : `${result.error.message}\n`;
  const at = text.indexOf(lead + output);
  if (at < 0) return text;
  const kept = result.ok ? text.slice(0, at) : text.slice(0, at + lead.length);
  return `${kept}${text.slice(at + lead.length + output.length).trimStart()}`.trim();
}

export interface Shown {
  before: string;
  result: ShownResult;
  live: string;
}

type ShownResult = { ok: true; data: unknown } | { ok: false; error: { message: string }; data?: unknown };

function outputOf({ data }: ShownResult): string {
  const { output } = (data ?? {}) as { output?: unknown };
  return typeof output === 'string' ? output : '';
}
