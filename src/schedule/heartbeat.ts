// HEARTBEAT.md: jobs written by hand in the workspace.
//
//   ## name
//   cron: 0 9 * * 1-5
//   timezone: Europe/Berlin     (optional, as are model and injectInto)
//   message: what is to be done; everything up to the next "## " belongs to it
//
// Text before the first "## " and everything in <!-- … --> is for people. Settings may be list items ("- cron: …").
// The file comes from a workspace: it can set prompts and times, never approvals, the addresses of models or permissions.
import { normalName } from '../lib/given-name.ts';

export interface HeartbeatSection {
  name: string;
  /** Line of the heading, from 1. */
  line: number;
  cron: string;
  /** Line of the cron setting. */
  cronLine: number;
  message: string;
  model?: string;
  injectInto?: string;
  timezone?: string;
}

export interface HeartbeatProblem {
  line: number;
  message: string;
  /** The name of its section, when it has one. */
  name?: string;
}

export interface Heartbeat {
  sections: HeartbeatSection[];
  problems: HeartbeatProblem[];
}

const SETTINGS = ['cron', 'message', 'model', 'injectInto', 'timezone'] as const;
type Setting = (typeof SETTINGS)[number];

interface Draft {
  name: string;
  line: number;
  values: Map<Setting, { text: string; line: number }>;
  hasProblem: boolean;
}

export function parseHeartbeat(text: string): Heartbeat {
  const sections: HeartbeatSection[] = [];
  const problems: HeartbeatProblem[] = [];
  let draft: Draft | undefined;
  const complain = (line: number, message: string): void => {
    problems.push({ line, message, ...(draft && { name: draft.name }) });
    if (draft) draft.hasProblem = true;
  };

  function close(): void {
    if (!draft) return;
    const { name, line, values } = draft;
    const cron = values.get('cron');
    const message = values.get('message')?.text.trim() ?? '';
    if (!cron) complain(line, `"${name}" has no cron: add a line such as "cron: 0 9 * * *"`);
    if (message === '') complain(line, `"${name}" has no message: add a line "message: …"`);
    if (sections.some((other) => other.name === name)) complain(line, `"${name}" is here twice: rename one of them`);
    if (draft.hasProblem || !cron) return;
    const optional = (['model', 'injectInto', 'timezone'] as const).flatMap((key) => {
      const value = values.get(key)?.text;
      return value ? [[key, value]] : [];
    });
    sections.push({ name, line, cron: cron.text, cronLine: cron.line, message, ...Object.fromEntries(optional) });
  }

  for (const [index, raw] of withoutComments(text).split('\n').entries()) {
    const line = index + 1;
    const content = raw.replace(/\r$/, '');
    const heading = /^##[ \t]+(.*)$/.exec(content)?.[1]?.trim();
    if (heading !== undefined) {
      close();
      draft = { name: normalName(heading).replace(/\s+/g, '-'), line, values: new Map(), hasProblem: false };
      if (draft.name === '') complain(line, 'the heading has no name');
    } else if (draft) {
      read(draft, content, line, complain);
    }
  }
  close();
  return { sections, problems };
}

function read(draft: Draft, content: string, line: number, complain: (line: number, message: string) => void): void {
  const message = draft.values.get('message');
  if (message) {
    message.text += `\n${content}`;
    return;
  }
  if (content.trim() === '') return;
  const [, key = '', value = ''] = /^\s*(?:[-*]\s+)?([A-Za-z]+)\s*:\s*(.*)$/.exec(content) ?? [];
  const setting = SETTINGS.find((name) => name.toLowerCase() === key.toLowerCase());
  if (!setting || draft.values.has(setting)) {
    const seen = content.trim().slice(0, 60);
    complain(
      line,
      setting ? `${setting} is set twice` : `"${seen}" is not a setting; accepted: ${SETTINGS.join(', ')}`,
    );
    return;
  }
  // Backticks keep an asterisk of cron from being read as emphasis.
  draft.values.set(setting, { text: setting === 'message' ? value : value.trim().replace(/^`(.*)`$/, '$1'), line });
}

/** Removes comments without changing line numbers. */
function withoutComments(text: string): string {
  return text.replace(/<!--[\s\S]*?(?:-->|$)/g, (comment) => comment.replace(/[^\n]/g, ''));
}
