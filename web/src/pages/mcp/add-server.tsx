// Adding MCP servers: what their instructions say is pasted, what is missing is filled in, and each is asked for its tools.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import type { Output } from '../../api/operations.ts';
import { ApiProblem } from '../../api/problem.ts';
import { type TextKey, t } from '../../language/language.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { NamedValues } from '../../parts/named-values.tsx';
import { ProblemNote } from '../../parts/notes.tsx';
import { say } from '../../parts/toast.tsx';
import type { LineProblem } from './command-line.ts';
import {
  inputOf,
  isAddress,
  isPlaceholder,
  mayBeShown,
  NO_SERVER,
  readServers,
  type ServerDraft,
  serversOfJson,
  withLine,
} from './read-server.ts';
import { ServerSignIn } from './server-sign-in.tsx';

type Added = Output<'mcp.add'>;

/** What became of a draft. */
type Outcome =
  | { kind: 'unanswered'; problem: NonNullable<Added['problem']> }
  | { kind: 'unreadable'; problem: LineProblem }
  | { kind: 'refused'; problem: unknown };

const LINE_PROBLEMS: Record<LineProblem, TextKey> = { 'open-quote': 'mcp.openQuote', 'needs-shell': 'mcp.needsShell' };

export function AddServer({ onClose, onDone }: { onClose(): void; onDone(): void }) {
  const [drafts, setDrafts] = useState<readonly ServerDraft[]>([NO_SERVER]);
  const [outcomes, setOutcomes] = useState<readonly (Outcome | undefined)[]>([]);
  /** Those that may replace a server of their name: the person has said so, or it was added here. */
  const [replaced, setReplaced] = useState<ReadonlySet<string>>(new Set());
  const [isTrying, setTrying] = useState(false);
  const isClosed = useRef(false);
  useEffect(
    () => () => {
      isClosed.current = true;
    },
    [],
  );

  const put = (index: number, found: readonly ServerDraft[]): void => {
    setDrafts(drafts.toSpliced(index, 1, ...found));
    setOutcomes([]);
  };

  async function addAll(mayReplace: ReadonlySet<string>): Promise<void> {
    const ready = drafts.flatMap((draft) => withLine(draft, draft.line, readServers(draft.line)));
    setDrafts(ready);
    setTrying(true);
    const added = new Set<string>();
    const left: { draft: ServerDraft; outcome: Outcome }[] = [];
    for (const draft of ready) {
      const outcome = await add(draft, { mayReplace, added });
      if (outcome) left.push({ draft, outcome });
    }
    setTrying(false);
    setReplaced(new Set([...mayReplace, ...added]));
    onDone();
    // The form that is open by now is another one.
    if (isClosed.current) return;
    if (left.length === 0) return onClose();
    setDrafts(left.map(({ draft }) => draft));
    setOutcomes(left.map(({ outcome }) => outcome));
  }

  return (
    <Dialog title={t('mcp.add')} onClose={onClose}>
      <form
        class="stack"
        aria-busy={isTrying}
        onSubmit={(event) => {
          event.preventDefault();
          void addAll(replaced);
        }}
      >
        {drafts.map((draft, index) => (
          <fieldset key={index} class="stack plain" disabled={isTrying} aria-label={draft.name}>
            {drafts.length > 1 && (
              <div class="row">
                <strong class="grow">{draft.name}</strong>
                <button type="button" class="button small" onClick={() => put(index, [])}>
                  {t('mcp.leaveOut')}
                </button>
              </div>
            )}
            <DraftFields draft={draft} onChange={(found) => put(index, found)} />
            <OutcomeNote
              name={draft.name}
              outcome={outcomes[index]}
              onReplace={() => void addAll(new Set([...replaced, draft.name.trim()]))}
              onSignedIn={() => {
                onDone();
                if (drafts.length === 1) onClose();
                else put(index, []);
              }}
            />
          </fieldset>
        ))}
        <div class="row end">
          <button type="submit" class="button primary" disabled={isTrying}>
            {t(isTrying ? 'mcp.trying' : outcomes.length > 0 ? 'retry' : 'mcp.addAndTest')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface Adding {
  mayReplace: ReadonlySet<string>;
  /** By this try, which replaces none of its own: two drafts may have one name. The next try may, where there was no answer. */
  added: Set<string>;
}

/** Undefined once it answers. */
async function add(draft: ServerDraft, { mayReplace, added }: Adding): Promise<Outcome | undefined> {
  const input = inputOf(draft);
  if ('problem' in input) return { kind: 'unreadable', problem: input.problem };
  try {
    const replace = mayReplace.has(input.name) && !added.has(input.name);
    const { name, tools, problem } = await call('mcp.add', { ...input, replace });
    added.add(name);
    if (problem) return { kind: 'unanswered', problem };
    say(t('mcp.added', { name, count: tools.length }));
    return undefined;
  } catch (problem) {
    return { kind: 'refused', problem };
  }
}

interface DraftFieldsProps {
  draft: ServerDraft;
  /** Usually one: this one, as it was changed. */
  onChange(drafts: readonly ServerDraft[]): void;
}

function DraftFields({ draft, onChange }: DraftFieldsProps) {
  const change = (more: Partial<ServerDraft>): void => onChange([{ ...draft, ...more }]);
  const isProgram = !isAddress(draft.line);
  const rows = isProgram ? draft.env : draft.headers;
  return (
    <>
      <label class="field">
        <span>{t('mcp.address')}</span>
        <textarea
          required
          rows={3}
          class="command"
          spellcheck={false}
          value={draft.line}
          onInput={(event) => {
            const { value } = event.currentTarget;
            const isPasted = (event as unknown as InputEvent).inputType === 'insertFromPaste';
            onChange(withLine(draft, value, isPasted ? readServers(value) : (serversOfJson(value) ?? [])));
          }}
          onChange={(event) => {
            const { value } = event.currentTarget;
            onChange(withLine(draft, value, readServers(value)));
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
        />
        <small class="quiet">{t('mcp.addressHint')}</small>
      </label>
      <label class="field">
        <span>{t('mcp.name')}</span>
        <input
          required
          pattern="[a-zA-Z0-9][a-zA-Z0-9\-]{0,31}"
          title={t('mcp.nameHint')}
          value={draft.name}
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
      </label>
      {draft.line.trim() !== '' && (
        <>
          <NamedValues
            title={t(isProgram ? 'mcp.env' : 'mcp.headers')}
            add={t(isProgram ? 'mcp.addEnv' : 'mcp.addHeader')}
            rows={rows}
            mayBeShown={mayBeShown}
            onChange={(values) => change(isProgram ? { env: values } : { headers: values })}
          />
          {rows.some(({ value }) => isPlaceholder(value)) && <p class="note">{t('mcp.placeholder')}</p>}
        </>
      )}
      {isProgram && draft.line.trim() !== '' && (
        <label class="field">
          <span>
            {t('mcp.folder')} <span class="quiet">· {t('optional')}</span>
          </span>
          <input value={draft.cwd} onInput={(event) => change({ cwd: event.currentTarget.value })} />
        </label>
      )}
    </>
  );
}

interface OutcomeNoteProps {
  name: string;
  outcome: Outcome | undefined;
  onReplace(): void;
  onSignedIn(): void;
}

function OutcomeNote({ name, outcome, onReplace, onSignedIn }: OutcomeNoteProps) {
  switch (outcome?.kind) {
    case undefined:
      return null;
    case 'unreadable':
      return <ProblemNote problem={t(LINE_PROBLEMS[outcome.problem])} />;
    case 'refused':
      return outcome.problem instanceof ApiProblem && outcome.problem.code === 'MCP_EXISTS' ? (
        <div class="note problem" role="alert">
          <p class="grow">{t('mcp.exists', { name: name.trim() })}</p>
          <button type="button" class="button small" onClick={onReplace}>
            {t('mcp.replace')}
          </button>
        </div>
      ) : (
        <ProblemNote problem={outcome.problem} />
      );
    case 'unanswered':
      return outcome.problem.code === 'MCP_SIGN_IN' ? (
        <ServerSignIn name={name.trim()} about={t('mcp.addedSignIn', { name })} onSignedIn={onSignedIn} />
      ) : (
        <div class="note problem" role="alert">
          <div>
            <p>{t('mcp.notReached', { name })}</p>
            <p class="quiet">{outcome.problem.text}</p>
          </div>
        </div>
      );
  }
}
