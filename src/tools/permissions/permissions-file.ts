// permissions.json in Lainclaw's home: {version: 1, allow: [...], ask: [...], deny: [...], workspaces: {"/folder": {allow, ask,
// deny}}}. The lists at the top hold everywhere; those of a folder only where it is the root of the workspace. All errors of a
// file are reported at once, and a file with an error gives no rules: a deny rule with a slip in it must not be dropped silently.
import { nearest } from '../../lib/nearest.ts';
import {
  LISTS,
  type List,
  NO_RULES,
  type ParsedRules,
  parseRule,
  type Rule,
  type RuledTool,
  type Rules,
} from './rules.ts';

export interface PermissionFile {
  /** They hold in every workspace. */
  global: Rules;
  /** By the real path of the workspace's root. */
  workspaces: ReadonlyMap<string, Rules>;
}

export type ParsedFile = { ok: true; file: PermissionFile } | { ok: false; errors: readonly string[] };

/** Where a rule is kept: undefined means everywhere. */
export type Folder = string | undefined;

const EMPTY = '{"version":1,"allow":[],"ask":[],"deny":[]}';
const KEYS = ['version', ...LISTS, 'workspaces'] as const;

export function parsePermissions(text: string | undefined, tools: readonly RuledTool[]): ParsedFile {
  const read = readObject(text ?? EMPTY);
  if (!read.ok) return read;
  const { content } = read;
  const errors: string[] = [];
  if (content.version !== 1) errors.push(`version is ${JSON.stringify(content.version)}; accepted is 1`);
  errors.push(...unknownKeys(content, KEYS));
  const global = readLists(content, '', tools, errors);
  const workspaces = new Map<string, Rules>();
  for (const [folder, lists] of Object.entries(foldersOf(content, errors))) {
    const where = `workspaces[${JSON.stringify(folder)}]`;
    if (!folder.startsWith('/')) errors.push(`${where}: a folder is named by its whole path`);
    if (!isObject(lists)) {
      errors.push(`${where} must be an object: {"allow":[],"ask":[],"deny":[]}`);
      continue;
    }
    errors.push(...unknownKeys(lists, LISTS).map((error) => `${where}: ${error}`));
    workspaces.set(folder, readLists(lists, `${where}.`, tools, errors));
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, file: { global, workspaces } };
}

/** The rules that hold in a workspace: the global ones and its own. */
export function rulesFor({ global, workspaces }: PermissionFile, workspaceRoot: string): Rules {
  const own = workspaces.get(workspaceRoot) ?? NO_RULES;
  const both = (list: List): Rule[] => [...global[list], ...own[list]];
  return { allow: both('allow'), ask: both('ask'), deny: both('deny') };
}

export function parseRules(text: string, tools: readonly RuledTool[], workspaceRoot = ''): ParsedRules {
  const parsed = parsePermissions(text, tools);
  return parsed.ok ? { ok: true, rules: rulesFor(parsed.file, workspaceRoot) } : parsed;
}

/** `changed` is false when the rules were there (or not there) already. */
export type Edited = { ok: true; text: string; changed: boolean } | { ok: false; errors: readonly string[] };

/**
 * The text of the file (undefined: there is none) with more rules in one list. The caller writes it atomically, under a lock.
 * A file with errors is never rewritten.
 */
export function addRules(
  current: string | undefined,
  { list, rules, folder }: { list: List; rules: readonly string[]; folder: Folder },
  tools: readonly RuledTool[],
): Edited {
  return edit(current, folder, tools, (lists) => ({
    ...lists,
    [list]: [...new Set([...(lists[list] ?? []), ...rules])],
  }));
}

/** Removes a rule from the lists of a folder, or from the global ones, by its exact text. */
export function removeRule(
  current: string | undefined,
  { rule, folder }: { rule: string; folder: Folder },
  tools: readonly RuledTool[],
): Edited {
  return edit(current, folder, tools, (lists) =>
    Object.fromEntries(LISTS.map((list) => [list, (lists[list] ?? []).filter((text) => text.trim() !== rule.trim())])),
  );
}

type Lists = Partial<Record<List, string[]>>;
type Content = { version: 1; workspaces?: Record<string, Lists> } & Lists;

function edit(
  current: string | undefined,
  folder: Folder,
  tools: readonly RuledTool[],
  change: (lists: Lists) => Lists,
): Edited {
  const before = parsePermissions(current, tools);
  if (!before.ok) return before;
  const content = JSON.parse(current ?? EMPTY) as Content;
  const lists = folder === undefined ? content : (content.workspaces?.[folder] ?? {});
  const changed = change(pickLists(lists));
  const next =
    folder === undefined ? { ...content, ...changed } : { ...content, ...withFolder(content, folder, changed) };
  const text = `${JSON.stringify(next, null, 2)}\n`;
  const after = parsePermissions(text, tools);
  if (!after.ok) return after;
  const isSame = LISTS.every((list) => (lists[list] ?? []).join('\n') === (changed[list] ?? []).join('\n'));
  return { ok: true, text, changed: !isSame };
}

/** A folder without rules leaves nothing behind. */
function withFolder({ workspaces = {} }: Content, folder: string, lists: Lists): Pick<Content, 'workspaces'> {
  const { [folder]: _, ...others } = workspaces;
  const kept = Object.fromEntries(Object.entries(lists).filter(([, rules]) => rules.length > 0));
  return { workspaces: Object.keys(kept).length > 0 ? { ...others, [folder]: kept } : others };
}

function pickLists(lists: Lists): Lists {
  return Object.fromEntries(LISTS.flatMap((list) => (lists[list] ? [[list, lists[list]]] : [])));
}

type ReadObject = { ok: true; content: Record<string, unknown> } | { ok: false; errors: readonly string[] };

function readObject(text: string): ReadObject {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    return { ok: false, errors: [`permissions.json is not JSON: ${error instanceof Error ? error.message : error}`] };
  }
  return isObject(content)
    ? { ok: true, content }
    : { ok: false, errors: [`permissions.json must be an object: ${EMPTY}`] };
}

function unknownKeys(content: object, accepted: readonly string[]): string[] {
  return Object.keys(content)
    .filter((key) => !accepted.includes(key))
    .map((key) => {
      const meant = nearest(key, accepted);
      return `"${key}" is not known; accepted are ${accepted.join(', ')}${meant ? ` (did you mean "${meant}"?)` : ''}`;
    });
}

function foldersOf({ workspaces = {} }: Record<string, unknown>, errors: string[]): Record<string, unknown> {
  if (isObject(workspaces)) return workspaces;
  errors.push('"workspaces" must be an object: {"/folder": {"allow":[],"ask":[],"deny":[]}}');
  return {};
}

function readLists(
  entries: Record<string, unknown>,
  where: string,
  tools: readonly RuledTool[],
  errors: string[],
): Rules {
  const read = (list: List): Rule[] => {
    const given = entries[list] ?? [];
    if (!Array.isArray(given)) {
      errors.push(`${where === '' ? `"${list}"` : `${where}${list}`} must be an array of rules`);
      return [];
    }
    return given.flatMap((entry: unknown, index) => {
      const parsed = parseRule(entry, tools);
      const error = parsed.ok ? slipOf(parsed.rule, list) : parsed.error;
      if (error !== undefined) errors.push(`${where}${list}[${index}] ${JSON.stringify(entry)}: ${error}`);
      return parsed.ok && error === undefined ? [parsed.rule] : [];
    });
  };
  return { allow: read('allow'), ask: read('ask'), deny: read('deny') };
}

/** An allow rule with a slip only asks once more; a deny or ask rule with one would protect nothing. */
function slipOf({ tool, absent }: Rule, list: List): string | undefined {
  if (absent?.meant === undefined || list === 'allow') return undefined;
  return `there is no tool "${tool}"; did you mean "${absent.meant}"?`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
