// The toolbox: everything a turn or a command needs to show and run tools, with what they run on already inside.

import type { Mode } from '../config/mode.ts';
import type { Language } from '../config/settings.ts';
import type { Hooks } from '../hooks/hooks.ts';
import type { Lazy } from '../lib/lazily.ts';
import type { AskForm } from '../mcp/elicitation.ts';
import type { Processes } from '../sandbox/background/processes.ts';
import type { AppendAudit } from '../storage/audit.ts';
import type { Fence } from '../storage/locks.ts';
import type { Outputs, ResultCache } from '../storage/storage.ts';
import type { Changes } from '../undo/changes.ts';
import { isOfOthers, type MemoryReader } from '../vocabulary/memory-scope.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { boundText } from './bound.ts';
import { createReusedResults, noReuse } from './cache.ts';
import { createCallAudit } from './call-audit.ts';
import type { Delegation } from './delegation.ts';
import { createExecutor, type Executor } from './executor.ts';
import { createSeenFiles, nothingSeen } from './fs/seen.ts';
import { type DescribedTool, describeTool, loadToolTexts } from './languages/language.ts';
import type { ToolTexts } from './languages/tool-texts.ts';
import type { Later } from './later.ts';
import type { ReadNetworkRequest } from './network/read-network-request.ts';
import { createOfferTools, type OfferTools } from './offered-tools.ts';
import { asTurnMode, type TurnMode } from './permissions/mode.ts';
import { createLinkResolver } from './permissions/resolve-links.ts';
import type { ParsedRules } from './permissions/rules.ts';
import type { PermissionStore } from './permissions/store.ts';
import { boundPictures, type KeptPicture, readPictures, type ToolPicture } from './pictures.ts';
import { type AskPerson, createPolicy } from './policy.ts';
import { createRegistry, type RegisteredTool, type Registry } from './registry.ts';
import type { SentFiles } from './sent-files.ts';
import { createNearbyProcesses } from './shell/nearby-processes.ts';
import { createSessionProcesses } from './shell/open-session-processes.ts';
import { createTaint, type Taint } from './taint.ts';
import type { TaintedContent } from './tainted-content/tainted-content.ts';
import type { ToolCall, ToolSpec } from './tool.ts';
import { createValidate } from './validate.ts';
import type { SearchWithModel } from './web/model-search.ts';

async function rulesFor(reader: MemoryReader, permissions: PermissionStore): Promise<ParsedRules> {
  const rules = await permissions.rules();
  return isOfOthers(reader.scope)
    ? (await import('./permissions/rules-for-reader.ts')).rulesForReader(rules, reader)
    : rules;
}

/** The schemas of more than these would be a large part of each request. */
const MOST_FROM_ELSEWHERE = 12;

export interface ToolboxDependencies {
  specs: readonly ToolSpec[];
  /** Those that a setting brings. `current`: the same list again means that nothing changed. */
  settingTools?: { first: readonly ToolSpec[]; current(): Promise<readonly ToolSpec[]> };
  /** Tools that come and go; the same list again means that nothing changed. */
  moreTools?(signal: AbortSignal): Promise<readonly ToolSpec[]>;
  workspace: Workspace;
  resultCache: ResultCache;
  outputs: Outputs;
  /** Files that people sent in sessions whose turns run on several machines. */
  sentFiles: SentFiles;
  /** Where the changes of one turn are recorded for undo; a call without a session gets a record of its own. */
  changes: (scope: { sessionId?: string; turnId?: string; root: string; fence?: Fence }) => Changes;
  texts(): Promise<ToolTexts>;
  /** Of what tools answer in words. */
  language?: Language;
  now(): number;
  askPerson?: AskPerson;
  /** Puts a form to the same person. */
  askForm?: AskForm;
  permissions: PermissionStore;
  /** What is known of content from outside in the workspace's files; absent where files taint nothing. */
  taintedContent?(): Promise<TaintedContent>;
  /** The commands in the background; absent where there can be none. */
  processes?: Lazy<Processes>;
  /** What network a call asks for; absent where none is given. */
  networkRequest?: ReadNetworkRequest;
  /** Where the person's own files are, and Lainclaw's. */
  places: { userHome: string; lainclawHome: string };
  onDefect(call: ToolCall, error: unknown): void;
  /** Writes to the audit log. */
  audit: AppendAudit;
  warn(text: string): void;
  /** The owner's, where there are any. */
  hooks?: Pick<Hooks, 'beforeTool' | 'afterTool'>;
}

/** What the calls of one turn, or of one command, have in common. */
export interface TurnTools {
  registry: Registry;
  /** One that can change holds from the next call on. */
  mode: Mode | TurnMode;
  /** With a session, results are reused within it and answers are remembered for it. */
  sessionId?: string;
  /** With a turn, changes are recorded under it, and only while its lock is held. */
  turnId?: string;
  fence?: Fence;
  /** Puts questions to the readers of this turn, instead of the person at the terminal. */
  askPerson?: AskPerson;
  askForm?: AskForm;
  /** For the audit log: who asks, in which session (its key), and who answered about a call. */
  who: string;
  sessionKey?: string;
  answeredFrom?(call: ToolCall): { by: string; place: string } | undefined;
  /** The asker: memory is read and saved in this name. */
  reader: MemoryReader;
  /** Starts other turns in the name of this one. */
  delegation?: Delegation;
  /** The search of the web of the turn's own model. */
  searchWithModel?: SearchWithModel;
  /** Takes the work that calls leave behind; the end of the turn waits for it. */
  later?: Later;
  /** Content from outside in the turn's context; a result may bring more. */
  taint?: Taint;
}

export interface Toolbox {
  readonly workspaceRoot: string;
  /** The rules that hold here, and what was answered. */
  readonly permissions: PermissionStore;
  /** Adds tools that have come, and drops those that have gone. */
  refresh(signal: AbortSignal): Promise<void>;
  /** What an allow-list leaves of all tools; all of them without one. */
  visible(allow: readonly string[] | undefined): Registry;
  /** In the language of the configuration, or in this one. */
  describe(tools: readonly RegisteredTool[], language?: Language): Promise<({ name: string } & DescribedTool)[]>;
  /** The tools of a registry as a model is offered them. */
  offer: OfferTools;
  /** A text as a model may see it; what is cut is kept under the session's outputs. */
  bound(text: string, options: { sessionId: string; name: string; limit?: number }): Promise<string>;
  /** Pictures that came with a question, kept under the session's outputs; those that no model takes are left out. */
  keepPictures(pictures: readonly ToolPicture[], options: { sessionId: string; name: string }): Promise<KeptPicture[]>;
  /** Pictures of a transcript, as a model is sent them, whichever machine keeps them; one that is gone is left out. */
  readPictures(kept: readonly KeptPicture[]): Promise<{ mimeType: string; data: string }[]>;
  /** Files of the workspace that came with a message, for later turns of the session on other machines. */
  shareSentFiles: SentFiles['share'];
  executor(options: TurnTools): Executor;
  /** Ends the commands in the background of a session. */
  endProcesses(sessionId: string): Promise<void>;
}

export function createToolbox(dependencies: ToolboxDependencies): Toolbox {
  const { specs, workspace, resultCache, outputs, sentFiles, changes, texts, now, permissions, onDefect } =
    dependencies;
  const { askPerson, askForm, hooks, audit, warn, processes, taintedContent: content } = dependencies;
  const nearby = processes && createNearbyProcesses(processes, { root: workspace.root, warn });
  const places = { ...dependencies.places, workspaceRoot: workspace.root, resolveLinks: createLinkResolver() };
  let own = dependencies.settingTools?.first ?? [];
  let more: readonly ToolSpec[] = [];
  let all = createRegistry([...specs, ...own]);
  const validate = createValidate();
  const offer = createOfferTools(texts);
  return {
    workspaceRoot: workspace.root,
    permissions,
    async refresh(signal) {
      const [set = own, found = more] = await Promise.all([
        dependencies.settingTools?.current(),
        dependencies.moreTools?.(signal),
      ]);
      if (set === own && found === more) return;
      all = createRegistry([...specs, ...set, ...foldPast(found, MOST_FROM_ELSEWHERE)]);
      own = set;
      more = found;
    },
    visible: (allow) => (allow ? all.filter(allow) : all),
    async describe(tools, language) {
      const words = await (language ? loadToolTexts(language) : texts());
      return tools.map(({ name, spec }) => ({ name, ...describeTool(spec, words) }));
    },
    offer,
    async bound(text, { sessionId, name, limit }) {
      return (await boundText(text, (whole) => outputs.keep(sessionId, name, whole), limit)).text;
    },
    async keepPictures(pictures, { sessionId, name }) {
      const { kept } = await boundPictures(pictures, (file) => outputs.place(sessionId, `${name}-${file}`));
      await outputs.share(kept.map(({ path }) => path));
      return kept;
    },
    readPictures: (kept) => readPictures(kept, (path) => outputs.open(path)),
    shareSentFiles: (...given) => sentFiles.share(...given),
    endProcesses: async (sessionId) => (await processes?.made()?.catch(() => undefined))?.endSession(sessionId),
    executor: ({ registry, reader, sessionId, turnId, fence, taint = createTaint(), delegation, later, ...turn }) => {
      const mode = asTurnMode(turn.mode);
      if (sessionId !== undefined && turn.sessionKey !== undefined)
        void endEarlier(processes, turn.sessionKey, sessionId);
      return createExecutor({
        registry,
        validate,
        later,
        authorise: createPolicy({
          mode,
          askPerson: turn.askPerson ?? askPerson,
          permissions: { ...permissions, rules: () => rulesFor(reader, permissions) },
          sessionId,
          places,
          taint,
          networkRequest: dependencies.networkRequest,
          ...(content && { contentTaint: async () => (await content()).taint }),
          ...(nearby && { wayOut: nearby.wayOut }),
        }),
        ...(nearby && { beforeChange: nearby.beforeChange }),
        taintSources: taint.sources,
        audit: createCallAudit({
          append: audit,
          who: turn.who,
          session: turn.sessionKey,
          turn: turnId,
          answeredFrom: turn.answeredFrom,
          onFailure: (error) => warn(`the audit log: ${(error as Error).message}`),
        }),
        ...(content && { rememberWrites: async (written) => (await content()).rememberWrites(written) }),
        onTainted: taint.add,
        context: {
          workspace,
          reader,
          seen: sessionId === undefined ? nothingSeen : createSeenFiles(resultCache, sessionId, workspace.root),
          changes: changes({ sessionId, turnId, root: workspace.root, fence }),
          now,
          ...(sessionId !== undefined && {
            openKept: (path) => outputs.open(path, sessionId),
            problemOfSentFile: (path) => sentFiles.problemOf(sessionId, path),
          }),
          language: dependencies.language,
          taintOfFiles: async (paths) => (content ? (await content()).taint.ofFiles(paths) : []),
          taintOfAnyFile: async () => (content ? (await content()).taint.ofAnyFile() : []),
          ...(processes && {
            processes: createSessionProcesses(processes, {
              sessionId: sessionId ?? 'cli',
              sessionKey: turn.sessionKey,
            }),
          }),
          delegation,
          ...(turn.searchWithModel && { searchWithModel: turn.searchWithModel }),
          foldedTools: () => offer(registry).folded(),
          ...(canFillForms(mode.current()) && { askForm: turn.askPerson ? turn.askForm : askForm }),
        },
        reused: sessionId === undefined ? noReuse : createReusedResults(resultCache, sessionId),
        keepOutput: (call, text) => outputs.keep(sessionId ?? 'cli', call.id, text),
        spoolPath: (call) => outputs.place(sessionId ?? 'cli', `${call.id}.output`),
        keptPath: (call, name) => outputs.place(sessionId ?? 'cli', `${call.id}-${name}`),
        shareKept: (paths) => outputs.share(paths),
        ...(sessionId !== undefined && { prepare: oncePerTurn((signal) => sentFiles.bring(sessionId, signal)) }),
        onDefect,
        ...(hooks && {
          hooks: {
            before: ({ name, args }, signal) => hooks.beforeTool({ tool: name, args, sessionId, turnId }, signal),
            after: ({ name, args }, result, signal) =>
              hooks.afterTool({ tool: name, args, sessionId, turnId, result }, signal),
          },
        }),
      });
    },
  };
}

/** A conversation that was begun again under the same name has no commands of the earlier one. */
async function endEarlier(
  processes: Lazy<Processes> | undefined,
  sessionKey: string,
  sessionId: string,
): Promise<void> {
  await (await processes?.made()?.catch(() => undefined))?.keepOnly(sessionKey, sessionId);
}

/** Where it fails, the next call tries again. */
function oncePerTurn(work: (signal: AbortSignal) => Promise<void>): (signal: AbortSignal) => Promise<void> {
  let done: Promise<void> | undefined;
  return (signal) => {
    done ??= work(signal).catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}

/** Of tools that come and go, the first ones are offered whole. */
function foldPast(found: readonly ToolSpec[], most: number): ToolSpec[] {
  return found.map((spec, index) => (index < most ? spec : { ...spec, isFolded: true }));
}

/** Where nobody wants to be asked, a server that asks is declined. */
function canFillForms(mode: Mode): boolean {
  return mode !== 'auto' && mode !== 'never';
}
