// permissions.json in the home, and the answers a person gave for a session. The file is read again for each question: a
// rule that was just added, or removed, counts.
import { type OwnerFiles, type ResultCache, StorageError } from '../../storage/storage.ts';
import type { Scope } from './decision.ts';
import type { Edited, Folder, ParsedFile } from './permissions-file.ts';
import type { Remembered } from './remembered.ts';
import type { List, ParsedRules, RuledTool } from './rules.ts';

const FILE = 'permissions.json';
const ANSWERS = 'permission answers';

export interface PermissionStore {
  /** Those that hold in this workspace. */
  rules(): Promise<ParsedRules>;
  /** All of them, by where they hold. */
  file(): Promise<ParsedFile>;
  /** What was answered for this session, also in an earlier process. */
  remembered(sessionId: string | undefined): Promise<Remembered>;
  /** "always" holds in this workspace and nowhere else. */
  remember(scope: Scope, rules: readonly string[], turn: { sessionId?: string; tainted: boolean }): Promise<void>;
  /** Of a file with errors, nothing is changed. */
  add(rule: { list: List; text: string; folder: Folder }): Promise<Edited>;
  remove(rule: { text: string; folder: Folder }): Promise<Edited>;
}

export interface PermissionStoreDependencies {
  files: OwnerFiles;
  resultCache: ResultCache;
  /** Those that a rule may name. */
  tools: readonly RuledTool[];
  workspaceRoot: string;
}

export function createPermissionStore(dependencies: PermissionStoreDependencies): PermissionStore {
  const { files, resultCache, tools, workspaceRoot } = dependencies;
  const remembered = async (sessionId: string | undefined): Promise<Remembered> => {
    const stored =
      sessionId === undefined ? undefined : await resultCache.get(sessionId, ANSWERS).catch(() => undefined);
    if (stored === undefined) return [];
    const { parseRule } = await import('./rules.ts');
    // `marked`: as earlier versions called it.
    const answers = JSON.parse(stored) as { text: string; tainted?: boolean; marked?: boolean }[];
    return answers.flatMap(({ text, marked = false, tainted = marked }) => {
      const parsed = parseRule(text, tools);
      return parsed.ok ? [{ rule: parsed.rule, tainted }] : [];
    });
  };

  async function file(): Promise<ParsedFile> {
    try {
      const text = await files.read(FILE);
      const { parsePermissions } = await import('./permissions-file.ts');
      return parsePermissions(text, tools);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      return { ok: false, errors: [error.message] };
    }
  }

  async function edit(change: (current: string | undefined) => Edited): Promise<Edited> {
    let edited: Edited | undefined;
    await files.update(FILE, (current) => {
      edited = change(current);
      return edited.ok && edited.changed ? edited.text : undefined;
    });
    return edited ?? { ok: false, errors: [`${FILE} could not be changed`] };
  }

  return {
    file,
    remembered,
    async rules() {
      const [parsed, { rulesFor }] = await Promise.all([file(), import('./permissions-file.ts')]);
      return parsed.ok ? { ok: true, rules: rulesFor(parsed.file, workspaceRoot) } : parsed;
    },
    async remember(scope, rules, { sessionId, tainted }) {
      if (scope === 'always') {
        const { addRules } = await import('./permissions-file.ts');
        await edit((current) => addRules(current, { list: 'allow', rules, folder: workspaceRoot }, tools));
      } else if (scope === 'session' && sessionId !== undefined) {
        const { rememberForSession } = await import('./remembered.ts');
        const all = rememberForSession(await remembered(sessionId), rules, { tainted, tools });
        const answers = all.map(({ rule, tainted: given }) => ({ text: rule.text, tainted: given }));
        await resultCache.put(sessionId, ANSWERS, JSON.stringify(answers));
      }
    },
    async add({ list, text, folder }) {
      const { addRules } = await import('./permissions-file.ts');
      return edit((current) => addRules(current, { list, rules: [text], folder }, tools));
    },
    async remove({ text, folder }) {
      const { removeRule } = await import('./permissions-file.ts');
      return edit((current) => removeRule(current, { rule: text, folder }, tools));
    },
  };
}
