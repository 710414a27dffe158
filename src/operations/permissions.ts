// The rules of permissions.json: what is allowed, asked about or denied, in this workspace and everywhere.
import { realpath } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { Edited, PermissionFile } from '../tools/permissions/permissions-file.ts';
import { LISTS, type Rules } from '../tools/permissions/rules.ts';
import type { PermissionStore } from '../tools/permissions/store.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { listOf, NO_INPUT, objectWith, TEXT, YES_OR_NO } from './schemas.ts';
import { withWorkspace } from './with-workspace.ts';

const LISTED = { allow: listOf(TEXT), ask: listOf(TEXT), deny: listOf(TEXT) } as const;
const WHERE = {
  global: { ...YES_OR_NO, default: false, description: 'in every workspace, not only in this one' },
  folder: { ...TEXT, description: 'another workspace, by its folder' },
} as const;

export const listPermissions = defineOperation({
  name: 'permissions.list',
  class: 'read',
  summary: 'List the permission rules of this workspace, those that hold everywhere, and those of other workspaces.',
  input: NO_INPUT,
  output: objectWith({
    folder: TEXT,
    workspace: objectWith(LISTED),
    global: objectWith(LISTED),
    others: listOf(objectWith({ folder: TEXT, ...LISTED })),
    inactive: { ...listOf(TEXT), description: 'rules for a tool that is not here' },
  }),
  run: (_input, context) =>
    withPermissions(context, async ({ store, root }) => {
      const { global, workspaces } = await readFile(store);
      const all = [global, ...workspaces.values()].flatMap((rules) => LISTS.flatMap((list) => rules[list]));
      return {
        folder: root,
        workspace: texts(workspaces.get(root)),
        global: texts(global),
        others: [...workspaces]
          .filter(([folder]) => folder !== root)
          .map(([folder, rules]) => ({ folder, ...texts(rules) })),
        inactive: [...new Set(all.filter(({ absent }) => absent).map(({ text }) => text))],
      };
    }),
});

export const addPermission = defineOperation({
  name: 'permissions.add',
  class: 'danger',
  summary: 'Add a permission rule for this workspace, or for all of them.',
  input: {
    type: 'object',
    properties: { rule: TEXT, list: { enum: LISTS, default: 'allow' }, ...WHERE },
    required: ['rule'],
    additionalProperties: false,
  },
  output: objectWith({ rule: TEXT, added: YES_OR_NO, inactive: YES_OR_NO }, { folder: TEXT }),
  run: ({ rule, list, ...where }, context) =>
    withPermissions(context, async ({ store, root }) => {
      const folder = await folderOf(where, root, context);
      // What is wrong with the file itself is said first: what is refused then is the rule.
      await readFile(store);
      const edit = await store.add({ list, text: rule.trim(), folder });
      if (!edit.ok) throw new CodedError('INVALID_INPUT', edit.errors.map(withoutPlace).join('; '));
      const { changed } = edit;
      const { global, workspaces } = await readFile(store);
      const kept = (folder === undefined ? global : workspaces.get(folder))?.[list] ?? [];
      const inactive = kept.some(({ text, absent }) => text === rule.trim() && absent !== undefined);
      return { rule: rule.trim(), added: changed, inactive, ...(folder !== undefined && { folder }) };
    }),
});

export const removePermission = defineOperation({
  name: 'permissions.remove',
  class: 'danger',
  summary: 'Remove a permission rule of this workspace, or one that holds everywhere, by its exact text.',
  input: {
    type: 'object',
    properties: { rule: TEXT, ...WHERE },
    required: ['rule'],
    additionalProperties: false,
  },
  output: objectWith({ rule: TEXT }, { folder: TEXT }),
  run: ({ rule, ...where }, context) =>
    withPermissions(context, async ({ store, root }) => {
      const folder = await folderOf(where, root, context);
      const { changed } = edited(await store.remove({ text: rule, folder }));
      if (!changed) throw await notThere(rule, folder, store);
      return { rule: rule.trim(), ...(folder !== undefined && { folder }) };
    }),
});

interface Opened {
  store: PermissionStore;
  /** The real path of the workspace. */
  root: string;
}

async function withPermissions<T>(context: OperationContext, use: (opened: Opened) => Promise<T>): Promise<T> {
  return withWorkspace(context.runtime, { root: context.workspace }, async ({ toolbox, files }) =>
    use({ store: (await toolbox()).permissions, root: files.root }),
  );
}

async function readFile(store: PermissionStore): Promise<PermissionFile> {
  const parsed = await store.file();
  if (parsed.ok) return parsed.file;
  throw invalid(parsed.errors);
}

/** The rule and what is wrong with it, without the list that it would be in. */
function withoutPlace(error: string): string {
  return error.replace(/^(?:workspaces\[.*?"\]\.)?\w+\[\d+\] /, '');
}

function edited(change: Edited): Extract<Edited, { ok: true }> {
  if (change.ok) return change;
  throw invalid(change.errors);
}

function invalid(errors: readonly string[]): CodedError {
  return new CodedError('INVALID_PERMISSIONS', `permissions.json: ${errors.join('; ')}`);
}

/** A folder that is gone is named as the list shows it. */
async function folderOf(
  { global, folder }: { global: boolean; folder?: string },
  root: string,
  { runtime }: OperationContext,
): Promise<string | undefined> {
  if (global && folder !== undefined)
    throw new CodedError('INVALID_INPUT', 'a rule is either global or of one folder: give one of them');
  if (global) return undefined;
  if (folder === undefined) return root;
  const written = isAbsolute(folder) ? resolve(folder) : resolve(runtime.environment.cwd, folder);
  return realpath(written).catch(() => written);
}

async function notThere(rule: string, folder: string | undefined, store: PermissionStore): Promise<CodedError> {
  const { global, workspaces } = await readFile(store);
  const has = (rules: Rules): boolean => LISTS.some((list) => rules[list].some(({ text }) => text === rule.trim()));
  const other = [...workspaces].find(([, rules]) => has(rules))?.[0];
  const where =
    folder !== undefined && has(global)
      ? 'it is a global rule: add --global'
      : other !== undefined
        ? `it is a rule of ${other}: add --folder ${other}`
        : '"lainclaw permissions list" shows what there is';
  return new CodedError(
    'NO_SUCH_RULE',
    `there is no rule ${rule.trim()} ${folder ? 'here' : 'for all workspaces'}: ${where}`,
  );
}

function texts(rules: Rules | undefined) {
  const of = (list: keyof Rules): string[] => rules?.[list].map(({ text }) => text) ?? [];
  return { allow: of('allow'), ask: of('ask'), deny: of('deny') };
}
