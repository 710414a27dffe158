// What a chat opens with: where one is, and the last words of a conversation that continues.
import { basename } from 'node:path';
import { localTime } from '../../lib/local-time.ts';
import type { SessionMessage } from '../../sessions/lines.ts';
import type { Colors } from '../colors.ts';
import type { NewEntry } from './entries.ts';
import { shownText } from './shown-text.ts';

const SHOWN_MESSAGES = 6;
const SHOWN_CHARACTERS = 2_000;

export interface Place {
  version: string;
  model: string;
  sessionKey: string;
  workspace: string;
  userHome: string;
}

export function header({ version, model, sessionKey, workspace, userHome }: Place, colors: Colors): NewEntry {
  const isHome = userHome !== '' && (workspace === userHome || workspace.startsWith(`${userHome}/`));
  const place = isHome ? `~${workspace.slice(userHome.length)}` : workspace;
  const lines = [
    `${colors.bold('Lainclaw')} ${colors.dim(version)} · ${colors.cyan(shownText(model))}`,
    colors.dim(`session ${shownText(sessionKey)} in ${shownText(place) || basename(workspace)}`),
    colors.dim('/help lists commands and keys · Ctrl+D leaves'),
  ];
  return { kind: 'drawn', text: lines.join('\n') };
}

/** The end of what was said; nothing where nothing was. */
export function recentEntries(messages: readonly SessionMessage[]): NewEntry[] {
  const spoken = messages.filter(({ role }) => role !== 'system').slice(-SHOWN_MESSAGES);
  const [first] = spoken;
  if (!first) return [];
  return [
    { kind: 'notice', text: `Resuming; recent messages since ${localTime(first.timestamp).slice(0, 16)}:` },
    ...spoken.map(({ role, content }): NewEntry => {
      const text = content.length > SHOWN_CHARACTERS ? `${content.slice(0, SHOWN_CHARACTERS)} …` : content;
      return role === 'user' ? { kind: 'user', text, attached: [] } : { kind: 'answer', text, isPlain: false };
    }),
  ];
}

/** What was sent, the oldest first, as it can be put into the input: not all of it was typed here. */
export function sentBefore(messages: readonly SessionMessage[]): string[] {
  return messages.filter(({ role }) => role === 'user').map(({ content }) => shownText(content));
}
