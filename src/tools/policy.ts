// Who may run what. permissions/ decides allow, ask or deny from the mode of the turn; here the question is put to a person who
// can answer it. Nobody there, or the mode `never`, is a no. Access never falls open: rules that cannot be read deny, and what
// lasts or leaves a tainted turn is approved by nobody but a person.
import type { Mode } from '../config/mode.ts';
import { StorageError } from '../storage/storage.ts';
import { reasonText } from '../vocabulary/reasons.ts';
import { type TaintSource, taintSource, trustAdvice } from '../vocabulary/taint-source.ts';
import type { NetworkRequest } from './network/network-request.ts';
import type { ReadNetworkRequest } from './network/read-network-request.ts';
import type { CommandParser } from './permissions/command.ts';
import type { Scope, Decision as Verdict } from './permissions/decision.ts';
import type { HidesPath } from './permissions/hides-path.ts';
import type { TurnMode } from './permissions/mode.ts';
import type { PathContext } from './permissions/paths.ts';
import type { PermissionStore } from './permissions/store.ts';
import type { ToolSubject } from './subject.ts';
import type { Taint } from './taint.ts';
import type { ContentTaint } from './tainted-content/content-taint.ts';
import type { ToolCall, ToolContext, ToolPreview, ToolSpec } from './tool.ts';

/** How the work continues after a plan was approved: the answers of planQuestion(). */
const PLAN_ANSWERS: Record<Scope, Mode> = { once: 'ask', session: 'accept-edits', always: 'auto' };

/** `onlyReads`: allowed unasked because the command only reads, which holds in a guarded environment alone. */
export type Decision =
  | {
      allowed: true;
      onlyReads?: true;
      /** See ToolContext. */
      hides?: HidesPath;
      /** The hosts that it may reach. */
      network?: NetworkRequest;
      /** Where content from outside comes from that it could show. */
      taintedBy?: readonly TaintSource[];
      /** What the files that it writes will hold of somebody else's, whatever the turn has read. */
      writesTaint?: readonly TaintSource[];
      /** Absolute paths of files that other programs run, which a person approved for this call. */
      approvedPaths?: readonly string[];
      /** What allowed it, for the audit log. */
      because: string;
      /** What a person answered, where one was asked. */
      answer?: Scope;
    }
  | { allowed: false; message: string; wasAsked?: true };

export interface PermissionQuestion {
  call: ToolCall;
  verdict: Verdict;
  /** What would change, where the tool can tell. */
  preview?: ToolPreview;
}

/** All of what would run or be written. */
export function wholeText({ verdict, preview }: Pick<PermissionQuestion, 'verdict' | 'preview'>): string {
  return preview && !preview.isCut ? preview.text : verdict.question.exact;
}

/** Puts the question to a person; undefined is no. */
export type AskPerson = (question: PermissionQuestion, signal: AbortSignal) => Promise<Scope | undefined>;

export interface PolicyOptions {
  mode: TurnMode;
  askPerson?: AskPerson;
  permissions: Pick<PermissionStore, 'rules' | 'remembered' | 'remember'>;
  sessionId?: string;
  places: Omit<PathContext, 'directory'>;
  taint: Pick<Taint, 'sources'>;
  /** Of what calls read and write; absent where that taints nothing. */
  contentTaint?(): Promise<Pick<ContentTaint, 'shownBy' | 'writtenBy'>>;
  /** Absent where no call is given any network. */
  networkRequest?: ReadNetworkRequest;
  /** See DecideInput; absent where nothing runs in the background. */
  wayOut?(): Promise<string | undefined>;
}

export type Authorise = (spec: ToolSpec, call: ToolCall, context: ToolContext) => Promise<Decision>;

export function createPolicy(options: PolicyOptions): Authorise {
  const { askPerson, permissions, sessionId, places } = options;
  return async (spec, call, context) => {
    // Judging takes a parser and a table of commands: loaded with the first call.
    const [{ decide }, { namesOf }, { hiddenPaths }, { createObeyedByGit }, contentTaint] = await Promise.all([
      import('./permissions/decide.ts'),
      import('./permissions/decision.ts'),
      import('./permissions/hidden-paths.ts'),
      import('../workspace/repositories/named-files.ts'),
      options.contentTaint?.(),
    ]);
    const rules = await permissions.rules();
    if (!rules.ok) return no(reasonText('unusable-permissions', { detail: rules.errors.join('; ') }));
    const mode = options.mode.current();
    const taint = options.taint.sources();
    const subject = spec.subject(call.args);
    const judging = {
      ...places,
      directory: directoryOf(subject, places),
      parseCommand: await parserFor(subject),
      obeyedByGit: createObeyedByGit(places.userHome),
    };
    const network = await options.networkRequest?.({
      subject,
      parseCommand: judging.parseCommand,
      workspace: context.workspace,
    });
    const verdict = decide({
      spec,
      call,
      rules: rules.rules,
      remembered: await permissions.remembered(sessionId),
      mode,
      taint,
      // Nothing else depends on it, and a sandbox takes a moment to be tried. With network, nothing is contained.
      isContained:
        (taint.length > 0 || subject.kind === 'command') &&
        !network &&
        ((await spec.isContained?.(call.args, context)) ?? false),
      wayOut: taint.length > 0 && spec.effect !== 'read' ? await options.wayOut?.() : undefined,
      context: judging,
      network,
    });
    const hides = hiddenPaths(rules.rules.deny, namesOf(spec), places);
    // What a command could add to a turn that is tainted already only makes the question longer.
    const mayTaint = subject.kind !== 'command' || taint.length === 0;
    const shown = mayTaint ? contentTaint?.shownBy(spec, call.args, judging) : undefined;
    const taintedBy = (await shown?.catch(unknownFiles)) ?? [];
    const writesTaint = contentTaint?.writtenBy(spec, call.args, judging) ?? [];
    const yes = {
      allowed: true as const,
      because: verdict.because ?? '',
      ...(hides && { hides }),
      ...(taintedBy.length > 0 && { taintedBy }),
      ...(writesTaint.length > 0 && { writesTaint }),
      ...(network && { network }),
    };
    const approved = verdict.protects && { approvedPaths: verdict.protects };
    if (verdict.verdict === 'allow') return { ...yes, ...approved, ...(verdict.onlyReads && { onlyReads: true }) };
    if (verdict.verdict === 'deny')
      return no(reasonText('denied', { tool: call.name, reasons: verdict.reasons.join('; ') }));
    // A call that cannot succeed fails here, before anybody is asked.
    const preview = await spec.preview?.(call.args, context);
    if (mode === 'never') return no(reasonText('mode-never', { tool: call.name }));
    if (!askPerson) return no(nobodyThere({ spec, call, verdict, taint, subject }));

    const scope = await askPerson({ call, verdict, preview }, context.signal);
    if (scope === undefined) return { ...no(reasonText('not-approved', { tool: call.name })), wasAsked: true };
    if (subject.kind === 'plan') options.mode.change(PLAN_ANSWERS[scope]);
    else if (scope !== 'once')
      await permissions.remember(scope, verdict.rememberAs, { sessionId, tainted: verdict.needsPerson });
    const reasons = verdict.reasons.join('; ');
    const because = reasons === '' ? reasonText('approved') : reasonText('approved-after', { reasons });
    return { ...yes, ...approved, because, answer: scope };
  };
}

function no(message: string): Decision & { allowed: false } {
  return { allowed: false, message };
}

/** Where the record of tainted files cannot be read, any file may be one. */
function unknownFiles(error: unknown): readonly TaintSource[] {
  if (!(error instanceof StorageError)) throw error;
  return [taintSource('unknown-files')];
}

interface Unanswered {
  spec: ToolSpec;
  call: ToolCall;
  verdict: Verdict;
  taint: readonly string[];
  subject: ToolSubject;
}

/** Says why nobody but a person could allow it, or how to allow it, with the very rule that would. */
function nobodyThere({ spec, call, verdict, taint, subject }: Unanswered): string {
  const { reasons, needsPerson, notByMode, rememberAs, scopes } = verdict;
  if (subject.kind === 'plan') return reasonText('nobody-for-plan');
  const tool = call.name;
  const found = reasons.filter((reason) => reason !== reasonText('needs-permission', { tool })).join('; ');
  const says = (code: 'no-person' | 'no-permission', ways: string): string =>
    found === '' ? reasonText(code, { tool, ways }) : reasonText(`${code}-after`, { tool, reasons: found, ways });
  if (needsPerson) {
    const there = 'run it where you can be asked';
    const withoutTaint = [
      ...taint.flatMap((source) => trustAdvice(source) ?? []),
      there,
      'start a new conversation without that content (--new-session, /new)',
    ];
    const ways = spec.alwaysAsks ? [there] : [...new Set(withoutTaint)];
    return says('no-person', ways.join('; '));
  }
  const rule =
    scopes.includes('always') && rememberAs.length > 0
      ? [`add the rule: ${rememberAs.map((text) => `lainclaw permissions add ${quoted(text)}`).join(', ')}`]
      : [];
  const trust = spec.trustCommand === undefined ? [] : [`trust it: ${spec.trustCommand}`];
  const byMode = notByMode ? [] : ['run it with --mode auto'];
  const ways = [...byMode, ...rule, ...trust].join(', or ') || 'run it where you can be asked';
  return says('no-permission', ways);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A command's relative paths start where it runs. */
function directoryOf(subject: ToolSubject, { workspaceRoot }: PolicyOptions['places']): string {
  if (subject.kind !== 'command' || subject.directory === undefined) return workspaceRoot;
  return subject.directory.startsWith('/') ? subject.directory : `${workspaceRoot}/${subject.directory}`;
}

async function parserFor({ kind }: ToolSubject): Promise<CommandParser | undefined> {
  if (kind !== 'command') return undefined;
  const { createCommandParser } = await import('./permissions/parse-command.ts');
  return createCommandParser();
}
