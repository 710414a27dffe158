// Which files of a workspace are certainly not the person's own: installed packages, what was received and what was
// downloaded. Reading them brings text from outside into the turn. Everything else counts as theirs: who wrote a file cannot be
// told from the file, and a mark on every file would only teach people to say yes.
import { pathsOf } from '../subject.ts';
import type { ToolArgs, ToolSpec } from '../tool.ts';
import type { SimpleCommand } from './command.ts';
import type { DecideContext } from './decision.ts';
import { reachedDirectories } from './judge.ts';
import { locate } from './paths.ts';

/** Anywhere in a path: package managers put other people's packages there. */
const PACKAGES = new Set(['node_modules', 'bower_components', 'vendor', 'third_party', 'site-packages', 'pods']);
/** First in a path. */
const RECEIVED = new Set(['inbox', 'downloads']);

/** Programs that print what is in the files they are given. */
const SHOWING =
  /^(?:cat|tac|nl|head|tail|less|more|bat|batcat|sed|g?awk|mawk|[ef]?grep|zgrep|zcat|rg|ag|ack|jq|yq|cut|sort|uniq|paste|column|fold|fmt|strings|xxd|hexdump|od|base64|diff|cmp)$/;

/** `path`: relative to the workspace, links resolved. */
export function isTaintedFile(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  return RECEIVED.has(parts[0] ?? '') || parts.some((part) => PACKAGES.has(part));
}

/** The first such file that the call shows, as far as its arguments tell. */
export function shownTaintedFile(spec: ToolSpec, args: ToolArgs, context: DecideContext): string | undefined {
  const isTainted = (path: string, directory: string): boolean => {
    const { relative } = locate(path, { ...context, directory });
    return relative !== undefined && isTaintedFile(relative);
  };
  const subject = spec.subject(args);
  if (spec.handlesFiles === 'contents')
    return pathsOf(subject).find(({ path }) => isTainted(path, context.workspaceRoot))?.path;
  if (subject.kind !== 'command') return undefined;
  const reading = context.parseCommand?.(subject.command);
  if (!reading) return undefined;
  const directories = reachedDirectories(reading, context);
  const shown = reading.commands.flatMap(filesShownBy);
  return shown.find((path) => directories.some((directory) => isTainted(path, directory)));
}

function filesShownBy({ program = '', words, redirections }: SimpleCommand): string[] {
  const named = SHOWING.test(program.slice(program.lastIndexOf('/') + 1)) ? words.slice(1) : [];
  return [
    ...named.flatMap(({ text }) => (text.startsWith('-') ? [] : [text])),
    ...redirections.flatMap((redirection) => (redirection.access === 'read' ? [redirection.target.text] : [])),
  ];
}
