import type { WholeFile } from '../../workspace/file-access.ts';
import { type ToolContext, ToolFailure } from '../tool.ts';
import { changeSince } from './seen.ts';

/** Refuses to change a file that is not what this session last saw of it, saying what is different. */
export async function refuseStale(file: WholeFile, { seen }: ToolContext): Promise<void> {
  const last = await seen.last(file.path);
  const changed = last && (await changeSince(last, file));
  if (!changed) return;
  const when = new Date(last.at).toISOString();
  throw new ToolFailure(`${file.path} has changed since it was read (${when}): ${changed}\nRead it again first.`);
}
