// Files that were sent with a question. The question names each in a line at its end, so a conversation that is loaded later shows them too.
import type { TurnView } from './turn-view.ts';

export interface ShownFile {
  name: string;
  /** Where it is kept in the workspace. */
  path?: string;
}

export interface ShownQuestion {
  text: string;
  /** Without pictures, which are shown as such. */
  files: readonly ShownFile[];
  /** All of them, as they are named when the question is asked again. */
  again: readonly AgainFile[];
}

export interface AgainFile {
  name: string;
  /** Its path in the workspace, or the id of its upload. */
  id: string;
}

const LAST_LINE =
  /(?:^|\n\n)\[(?:(picture|file) saved as (inbox(?:-of-others)?\/\S+?)(?:; [^\n]*)?|file ([^\s;:\]]+))\]$/u;

export function shownQuestion({ question, files }: Pick<TurnView, 'question' | 'files'>): ShownQuestion {
  const named: ShownFile[] = [];
  const kept: AgainFile[] = [];
  let text = question;
  for (let found = LAST_LINE.exec(text); found; found = LAST_LINE.exec(text)) {
    const [whole, kind, path, name] = found;
    text = text.slice(0, -whole.length);
    if (path !== undefined) kept.unshift({ name: nameIn(path), id: path });
    if (kind === 'picture') continue;
    named.unshift(path === undefined ? { name: name ?? '' } : { name: nameIn(path), path });
  }
  const sent = files?.filter(({ picture }) => picture === undefined);
  const uploaded = (files ?? []).flatMap(({ name, id }) => (id === undefined ? [] : [{ name, id }]));
  return {
    text,
    files: named.length > 0 || !sent ? named : sent.map(({ name }) => ({ name })),
    again: kept.length > 0 ? kept : uploaded,
  };
}

/** `inbox/2026-01-02/report-1a2b3c4d.pdf` was sent as `report.pdf`. */
function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/-[0-9a-f]{8}(?=\.[^.]*$|$)/, '');
}
