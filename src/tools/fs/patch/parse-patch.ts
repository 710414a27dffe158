// A patch in either format: the envelope *** Begin Patch … *** End Patch, or a unified diff.
import { ToolFailure } from '../../tool.ts';
import { parseEnvelope } from './parse-envelope.ts';
import { parseUnified } from './parse-unified.ts';
import { type FilePatch, patchFailure } from './patch.ts';

export function parsePatch(text: string): FilePatch[] {
  const lines = withoutFence(text.replaceAll('\r\n', '\n')).split('\n');
  const begin = lines.findIndex((line) => line.trim() === '*** Begin Patch');
  const patches = begin >= 0 ? parseEnvelope(lines, begin + 1) : parseUnified(lines);
  if (patches.length === 0) {
    throw patchFailure(
      'it names no file. Write *** Begin Patch, then *** Update File: path with lines that begin with space, - or +, then *** End Patch',
    );
  }
  return patches;
}

/** Without a failure: what a patch touches is judged before it is checked. None of a patch that cannot be parsed. */
export function pathsOfPatch(text: string): string[] {
  try {
    const paths = parsePatch(text).flatMap((patch) =>
      patch.kind === 'update' && patch.to !== undefined ? [patch.path, patch.to] : [patch.path],
    );
    return [...new Set(paths)];
  } catch (error) {
    if (error instanceof ToolFailure) return [];
    throw error;
  }
}

/** Models like to put a patch into a code block. */
function withoutFence(text: string): string {
  const fenced = /^\s*```[a-z]*\n([\s\S]*?)\n```\s*$/.exec(text);
  return fenced?.[1] ?? text;
}
