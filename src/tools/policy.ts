// Who may run what. permissions/ decides allow, ask or deny; here the question is put to whoever can answer it: a person
// now (`ask`), the person who said so beforehand (`auto`), or nobody (`never`, or no one there), which is a no. Access
// never falls open: rules that cannot be read deny, and a turn with content from outside is never approved beforehand.
import type { NetworkRequest } from './network/network-request.ts';
import type { ReadNetworkRequest } from './network/read-network-request.ts';
import type { CommandParser } from './permissions/command.ts';
import type { Scope, Decision as Verdict } from './permissions/decision.ts';
import type { HidesPath } from './permissions/hides-path.ts';
import type { PathContext } from './permissions/paths.ts';
import type { PermissionStore } from './permissions/store.ts';
import type { ToolSubject } from './subject.ts';
import type { ToolCall, ToolContext, ToolPreview, ToolSpec } from './tool.ts';

export const APPROVALS = ['ask', 'auto', 'never'] as const;
export type Approval = (typeof APPROVALS)[number];

/** `onlyReads`: allowed unasked because the command only reads, which holds in a guarded environment alone. */
export type Decision =
  | {
      allowed: true;
      onlyReads?: true;
      /** See ToolContext. */
      hides?: HidesPath;
      /** The hosts that it may reach. */
      network?: NetworkRequest;
      /** It shows files that somebody else wrote. */
      tainted?: true;
    }
  | { allowed: false; message: string };

export interface PermissionQuestion {
  call: ToolCall;
  verdict: Verdict;
  /** What would change, where the tool can tell. */
  preview?: ToolPreview;
}

/** Puts the question to a person; undefined is no. */
export type AskPerson = (question: PermissionQuestion, signal: AbortSignal) => Promise<Scope | undefined>;

export interface PolicyOptions {
  approval: Approval;
  askPerson?: AskPerson;
  permissions: Pick<PermissionStore, 'rules' | 'remembered' | 'remember'>;
  sessionId?: string;
  places: Omit<PathContext, 'directory'>;
  /** Content from outside is in this turn's context. */
  isTainted(): boolean;
  /** Absent where no call is given any network. */
  networkRequest?: ReadNetworkRequest;
}

export type Authorise = (spec: ToolSpec, call: ToolCall, context: ToolContext) => Promise<Decision>;

export function createPolicy(options: PolicyOptions): Authorise {
  const { approval, askPerson, permissions, sessionId, places } = options;
  return async (spec, call, context) => {
    // Judging takes a parser and a table of commands: loaded with the first call.
    const [{ decide }, { namesOf }, { hiddenPaths }, { showsTaintedFile }] = await Promise.all([
      import('./permissions/decide.ts'),
      import('./permissions/decision.ts'),
      import('./permissions/hidden-paths.ts'),
      import('./permissions/tainted-files.ts'),
    ]);
    const rules = await permissions.rules();
    if (!rules.ok) return no(`permissions.json cannot be used, so nothing is allowed: ${rules.errors.join('; ')}`);
    const tainted = options.isTainted();
    const subject = spec.subject(call.args);
    const judging = { ...places, directory: directoryOf(subject, places), parseCommand: await parserFor(subject) };
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
      tainted,
      context: judging,
      network,
    });
    const hides = hiddenPaths(rules.rules.deny, namesOf(spec), places);
    const taints = showsTaintedFile(spec, call.args, judging);
    const yes = {
      allowed: true as const,
      ...(hides && { hides }),
      ...(taints && { tainted: taints }),
      ...(network && { network }),
    };
    if (verdict.verdict === 'allow') return { ...yes, ...(verdict.onlyReads && { onlyReads: true }) };
    if (verdict.verdict === 'deny') return no(`${call.name} is denied: ${verdict.reasons.join('; ')}`);
    if (approval === 'auto' && !verdict.tainted) return yes;
    // What could not be done anyway says so itself, before anyone is bothered.
    const preview = await spec.preview?.(call.args, context);
    if (approval === 'never') return no(`${call.name} needs permission, and --approve=never refuses it`);
    if (!askPerson || approval === 'auto') return no(nobodyThere(call, verdict));

    const scope = await askPerson({ call, verdict, preview }, context.signal);
    if (scope === undefined) return no(`${call.name} was not approved`);
    if (scope !== 'once') await permissions.remember(scope, verdict.rememberAs, { sessionId, tainted });
    return yes;
  };
}

function no(message: string): Decision {
  return { allowed: false, message };
}

/** Says how to allow it, with the very rule that would. */
function nobodyThere(call: ToolCall, { reasons, tainted, rememberAs, scopes }: Verdict): string {
  const why = reasons.length > 0 ? ` (${reasons.join('; ')})` : '';
  const rule =
    scopes.includes('always') && rememberAs.length > 0
      ? `, or add ${rememberAs.map((text) => JSON.stringify(text)).join(', ')} to "allow" in permissions.json`
      : '';
  if (tainted) return `${call.name} needs a person's approval${why}, and nobody is there to give it`;
  return `${call.name} needs permission${why} and nobody is there to give it: run it with --approve=auto${rule}`;
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
