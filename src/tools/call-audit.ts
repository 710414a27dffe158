// What the audit log says of the calls of one turn. An effect waits for its line and does not begin without it; a call that only
// reads waits for nothing.
import type { AppendAudit, AuditEvent } from '../storage/audit.ts';
import type { Decision } from './policy.ts';
import type { ToolSubject } from './subject.ts';
import { tellingArgument } from './telling-argument.ts';
import type { ToolCall, ToolSpec } from './tool.ts';

export interface CallAudit {
  /** Resolves when the call may begin. Rejects when a call with an effect could not be recorded. */
  allowed(spec: ToolSpec, call: ToolCall, decision: Decision & { allowed: true }): Promise<void>;
  refused(spec: ToolSpec | undefined, call: ToolCall, refusal: { message: string; wasAsked: boolean }): void;
  ended(call: ToolCall, failure: string | undefined): void;
}

export interface CallAuditOptions {
  append: AppendAudit;
  /** `owner`, the name of a chat, `mcp client`. */
  who: string;
  session?: string;
  turn?: string;
  /** Undefined: nobody answered about the call. Absent where it is not known who did. */
  answeredFrom?(call: ToolCall): { by: string; place: string } | undefined;
  /** A line that nothing waits for could not be written. */
  onFailure(error: unknown): void;
}

export function createCallAudit({ append, who, session, turn, answeredFrom, onFailure }: CallAuditOptions): CallAudit {
  const from = { who, ...(session !== undefined && { session }), ...(turn !== undefined && { turn }) };
  const later = (events: AuditEvent[]): void => void append(events, { beginsNone: true }).catch(onFailure);

  function approval(call: ToolCall, about: string, answer: string): AuditEvent {
    const person = answeredFrom?.(call);
    const name = person ? `${person.by} (${person.place})` : answeredFrom ? 'nobody' : 'a person';
    const outcome = answer === 'no' ? 'denied' : 'allowed';
    return { ...from, kind: 'approval', who: name, what: call.name, about, outcome, why: answer, call: call.id };
  }

  return {
    async allowed(spec, call, decision) {
      const about = describe(spec, call);
      const { because: why, answer } = decision;
      const events: AuditEvent[] = [
        ...(answer === undefined ? [] : [approval(call, about, answer)]),
        { ...from, kind: 'tool-call', what: call.name, about, outcome: 'allowed', why, call: call.id },
      ];
      if (spec.effect === 'read') later(events);
      else await append(events);
    },
    refused(spec, call, { message, wasAsked }) {
      const about = spec ? describe(spec, call) : (tellingArgument(call.args) ?? '');
      later([
        ...(wasAsked ? [approval(call, about, 'no')] : []),
        { ...from, kind: 'tool-call', what: call.name, about, outcome: 'denied', why: message, call: call.id },
      ]);
    },
    ended(call, failure) {
      const outcome = failure === undefined ? 'ok' : 'failed';
      const why = failure === undefined ? {} : { why: failure };
      later([{ ...from, kind: 'tool-result', what: call.name, outcome, ...why, call: call.id }]);
    },
  };
}

function describe(spec: ToolSpec, { args }: ToolCall): string {
  try {
    return describeSubject(spec.subject(args)) ?? tellingArgument(args) ?? '';
  } catch {
    // Arguments that do not fit the schema.
    return tellingArgument(args) ?? '';
  }
}

function describeSubject(subject: ToolSubject): string | undefined {
  switch (subject.kind) {
    case 'command':
      return subject.command;
    case 'path':
      return subject.path;
    case 'paths':
      return subject.paths.length > 0 ? subject.paths.map(({ path }) => path).join(', ') : undefined;
    case 'url':
      return subject.url;
    case 'chat':
      return `${subject.channel}:${subject.chatId}`;
    case 'plan':
      return subject.plan;
    case 'none':
      return undefined;
  }
}
