// permissions.json in the home, and the answers a person gave for a session. The file is read anew for each question: a
// rule that was just added, or taken away, counts.
import { type OwnerFiles, type ResultCache, StorageError } from '../../storage/storage.ts';
import type { Scope } from './decision.ts';
import type { Remembered } from './remembered.ts';
import type { ParsedRules, RuledTool } from './rules.ts';

const FILE = 'permissions.json';
const ANSWERS = 'permission answers';

export interface PermissionStore {
  rules(): Promise<ParsedRules>;
  /** What was answered for this session, also in an earlier process. */
  remembered(sessionId: string | undefined): Promise<Remembered>;
  remember(scope: Scope, rules: readonly string[], turn: { sessionId?: string; tainted: boolean }): Promise<void>;
}

export interface PermissionStoreDependencies {
  files: OwnerFiles;
  resultCache: ResultCache;
  /** Those that a rule may name. */
  tools: readonly RuledTool[];
}

export function createPermissionStore({ files, resultCache, tools }: PermissionStoreDependencies): PermissionStore {
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
  return {
    async rules() {
      try {
        const text = await files.read(FILE);
        const { NO_RULES, parseRules } = await import('./rules.ts');
        return text === undefined ? { ok: true, rules: NO_RULES } : parseRules(text, tools);
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        return { ok: false, errors: [error.message] };
      }
    },
    remembered,
    async remember(scope, rules, { sessionId, tainted }) {
      const { rememberAlways, rememberForSession } = await import('./remembered.ts');
      if (scope === 'always') {
        await files.update(FILE, (current) => {
          const appended = rememberAlways(current, rules, tools);
          return appended.ok ? appended.text : undefined;
        });
      } else if (scope === 'session' && sessionId !== undefined) {
        const all = rememberForSession(await remembered(sessionId), rules, { tainted, tools });
        const answers = all.map(({ rule, tainted: given }) => ({ text: rule.text, tainted: given }));
        await resultCache.put(sessionId, ANSWERS, JSON.stringify(answers));
      }
    },
  };
}
