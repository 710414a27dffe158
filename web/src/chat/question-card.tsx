// A question of a turn: a permission with what exactly would happen, or a form of an MCP server. It can be answered here, wherever
// the turn was begun; when somebody answers elsewhere, the card says so.
import { useEffect, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { auditTexts, loadedAuditTexts, reasonsText, titleText } from '../language/audit/audit-texts.ts';
import { relativeText } from '../language/format.ts';
import { language, personText, type TextKey, t, wordText } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { type ObjectSchema, SchemaForm, valuesOf, type Written } from '../parts/schema-form.tsx';
import { attempt, sayProblem } from '../parts/toast.tsx';
import { isOwner } from '../state/me.ts';
import { isDiff } from './diff-lines.ts';
import { DiffView } from './diff-view.tsx';
import type { Question, Resolution } from './turn-view.ts';

type Answer = { answer: 'allow' | 'deny' | 'send'; scope?: 'once' | 'session' | 'always'; content?: object };

export function QuestionCard({ question, resolution }: { question: Question; resolution?: Resolution }) {
  const [isSending, setSending] = useState(false);
  const [isAnswered, setAnswered] = useState(false);

  async function send(given: Answer): Promise<void> {
    setSending(true);
    try {
      await call('turns.answer', { questionId: question.id, ...given } as never);
      setAnswered(true);
    } catch (problem) {
      sayProblem(problem);
    } finally {
      setSending(false);
    }
  }

  if (!isOwner.value && !resolution) return <p class="notice quiet">{t('question.owner')}</p>;
  if (resolution || isAnswered) return <Answered question={question} resolution={resolution} />;
  const props = { isSending, send };
  return (
    <div role="group" class="question-card" aria-label={t('question.title')}>
      {question.permission && <Permission {...props} permission={question.permission} />}
      {question.form && <Form {...props} form={question.form} />}
      {question.expiresAt !== undefined && (
        <p class="quiet">{t('question.expires', { when: relativeText(question.expiresAt) })}</p>
      )}
    </div>
  );
}

interface AskingProps {
  isSending: boolean;
  send(answer: Answer): Promise<void>;
}

const SCOPES: Record<'once' | 'session' | 'always', TextKey> = {
  once: 'allow.once',
  session: 'allow.session',
  always: 'allow.always',
};

/** A plan is answered with how the work continues. */
const PLAN_ANSWERS: Record<keyof typeof SCOPES, TextKey> = {
  once: 'plan.ask',
  session: 'plan.edits',
  always: 'plan.auto',
};

/** Until they are loaded, and where they cannot be, a question is in English. */
function useTexts() {
  useEffect(() => void auditTexts(language.value).catch(() => {}), [language.value]);
  return loadedAuditTexts(language.value);
}

function Permission({
  permission,
  isSending,
  send,
}: AskingProps & { permission: NonNullable<Question['permission']> }) {
  const { tool, exact, reasons, why, scopes, rules, answers, preview } = permission;
  const texts = useTexts();
  const names = answers ? PLAN_ANSWERS : SCOPES;
  const text = preview && !preview.isCut ? preview.text : exact;
  return (
    <>
      <h2>
        <Icon name="question" /> {titleText(permission, texts)}
      </h2>
      <p class="quiet">
        {tool}
        {preview && language.value === 'en' && ` · ${preview.summary}`}
      </p>
      {isDiff(text) ? (
        <DiffView diff={text} />
      ) : (
        <pre class="output" tabIndex={0}>
          {text}
        </pre>
      )}
      {reasons.length > 0 && (
        <ul class="reasons">
          {reasons.map((reason, index) => (
            <li key={reason}>{reasonsText(why[index], texts) ?? reason}</li>
          ))}
        </ul>
      )}
      <div class="row wrap">
        {scopes.map((scope) => (
          <button
            key={scope}
            type="button"
            class={scope === 'once' ? 'button primary' : 'button'}
            disabled={isSending}
            onClick={() => send({ answer: 'allow', scope })}
          >
            {t(names[scope])}
          </button>
        ))}
        <button type="button" class="button danger" disabled={isSending} onClick={() => send({ answer: 'deny' })}>
          {t('deny')}
        </button>
      </div>
      {rules.length > 0 && (
        <p class="rules">
          {t('question.rules')}{' '}
          {rules.map((rule) => (
            <code key={rule}>{rule}</code>
          ))}
        </p>
      )}
    </>
  );
}

function Form({ form, isSending, send }: AskingProps & { form: NonNullable<Question['form']> }) {
  const [written, setWritten] = useState<Written>({});
  const schema = form.server === undefined ? labelled(form.schema as ObjectSchema) : (form.schema as ObjectSchema);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(async () => send({ answer: 'send', content: valuesOf(schema, written) }));
      }}
    >
      <h2>
        <Icon name="question" />{' '}
        {form.server === undefined ? t('question.model') : t('question.form', { server: form.server })}
      </h2>
      <p>{form.message}</p>
      <SchemaForm schema={schema} written={written} onChange={setWritten} />
      <div class="row wrap">
        <button type="submit" class="button primary" disabled={isSending}>
          {t('send')}
        </button>
        <button type="button" class="button danger" disabled={isSending} onClick={() => send({ answer: 'deny' })}>
          {t('decline')}
        </button>
      </div>
    </form>
  );
}

/** A question of the model has one field, which the model did not name. */
function labelled({ properties = {}, ...schema }: ObjectSchema): ObjectSchema {
  const { answer, ...others } = properties;
  return {
    ...schema,
    properties: { ...(answer && { answer: { ...answer, title: t('question.answer') } }), ...others },
  };
}

function Answered({ question, resolution }: { question: Question; resolution: Resolution | undefined }) {
  const texts = useTexts();
  const { permission, form } = question;
  const title = permission ? titleText(permission, texts) : (form?.message ?? '');
  return (
    <p class="answered quiet">
      <Icon name="check" /> {title} —{' '}
      {resolution ? endingText(resolution, permission?.answers !== undefined) : t('answer.sent')}
    </p>
  );
}

function endingText(resolution: Resolution, isPlan: boolean): string {
  if (resolution.ending !== 'answered') return t('answer.ended');
  const { answer } = resolution;
  const by = personText(resolution.by);
  const place = wordText(resolution.place);
  if (isPlan && 'scope' in answer && answer.scope !== undefined)
    return `${t(PLAN_ANSWERS[answer.scope])} · ${t('answer.allowed', { by, place })}`;
  const isYes = 'action' in answer ? answer.action === 'accept' : answer.scope !== undefined;
  return t(isYes ? 'answer.allowed' : 'answer.denied', { by, place });
}
