// One row of the chat.
import { Component } from 'preact';
import { useState } from 'preact/hooks';
import { costText, durationText, numberText, timeText } from '../language/format.ts';
import { type TextKey, t } from '../language/language.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { wordedError } from '../parts/notes.tsx';
import { Checklist } from './checklist.tsx';
import { Markdown } from './markdown.tsx';
import { QuestionCard } from './question-card.tsx';
import { Recalled } from './recalled.tsx';
import { isOpenQuestion, type Row } from './rows.ts';
import { shownQuestion } from './sent-files.ts';
import { ToolCard } from './tool-card.tsx';
import type { Part, TurnEnd, TurnView, WaitingMessage } from './turn-view.ts';

/** What can be done with a turn from its row. */
export interface TurnActions {
  /** The key of the conversation. */
  session: string;
  onEdit(turn: TurnView): void;
  onRetry(turn: TurnView): void;
  onFork(turn: TurnView): void;
  onUndo(turn: TurnView): void;
  /** Takes back what waits to join it. */
  onWithdraw(turn: TurnView, message: WaitingMessage): void;
  /** Shows only its question, or all of it again. */
  onFold(turn: TurnView): void;
}

interface MessageRowProps {
  row: Row;
  actions: TurnActions;
}

/** Drawn again only when its row has changed: a list is drawn with each frame that it scrolls. */
export class MessageRow extends Component<MessageRowProps> {
  override shouldComponentUpdate(next: Readonly<MessageRowProps>): boolean {
    return next.row !== this.props.row || next.actions !== this.props.actions;
  }

  override render({ row, actions }: MessageRowProps) {
    switch (row.kind) {
      case 'question':
        return <AskedRow turn={row.turn} isFolded={row.isFolded === true} actions={actions} />;
      case 'part':
        return (
          <PartRow
            part={row.part}
            turn={row.turn.id}
            isGrowing={row.isLast}
            isAsked={row.isAsked}
            session={actions.session}
          />
        );
      case 'end':
        return <EndRow turn={row.turn} actions={actions} />;
      case 'waiting':
        return <WaitingRow turn={row.turn} message={row.message} actions={actions} />;
    }
  }
}

function AskedRow({ turn, isFolded, actions }: { turn: TurnView; isFolded: boolean; actions: TurnActions }) {
  const { text, files } = shownQuestion(turn);
  return (
    <article class="asked" aria-label={t('chat.you')}>
      <div class="bubble">
        <Folded text={text} />
        {files.length > 0 && (
          <ul class="chips" aria-label={t('chat.files')}>
            {files.map(({ name, path }) => (
              <li key={path ?? name} class="chip" title={path}>
                <Icon name="file" /> {name}
              </li>
            ))}
          </ul>
        )}
        {picturesOf(turn).map(({ address, name }) => (
          <a key={address} href={address} target="_blank" rel="noopener">
            <img class="picture asked-picture" src={address} alt={name} />
          </a>
        ))}
      </div>
      <div class="row-actions">
        <span class="quiet">{timeText(turn.startedAt)}</span>
        <span class="together">
          <Action icon="copy" label={t('copy')} onClick={() => void navigator.clipboard.writeText(text)} />
          {turn.state === 'ended' && (
            <>
              <Action icon="edit" label={t('chat.edit')} onClick={() => actions.onEdit(turn)} />
              <Action
                icon={isFolded ? 'right' : 'down'}
                label={t(isFolded ? 'chat.unfold' : 'chat.fold')}
                isExpanded={!isFolded}
                onClick={() => actions.onFold(turn)}
              />
            </>
          )}
        </span>
      </div>
    </article>
  );
}

/** As this page sent them, else as the conversation has them. */
function picturesOf({ files = [], pictures = [] }: TurnView): { address: string; name: string }[] {
  const sent = files.flatMap(({ name, picture }) => (picture === undefined ? [] : [{ address: picture, name }]));
  if (sent.length > 0) return sent;
  return pictures.map((address, index) => ({ address, name: t('chat.picture', { number: index + 1 }) }));
}

const LONG_QUESTION = 1_200;

/** A long text is shown by its beginning. */
function Folded({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false);
  if (text.length <= LONG_QUESTION) return <>{text}</>;
  return (
    <>
      {isOpen ? text : `${text.slice(0, LONG_QUESTION)}…`}{' '}
      <button type="button" class="link-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {t(isOpen ? 'showLess' : 'showMore')}
      </button>
    </>
  );
}

interface PartRowProps {
  part: Part;
  /** Its turn. */
  turn: string;
  isGrowing: boolean;
  isAsked: boolean;
  session: string;
}

function PartRow({ part, turn, isGrowing, isAsked, session }: PartRowProps) {
  switch (part.kind) {
    case 'text':
      return (
        <article class="answer" aria-label={t('chat.answer')}>
          <Markdown text={part.text} isGrowing={isGrowing} />
        </article>
      );
    case 'thinking':
      return <Thinking text={part.text} isGrowing={isGrowing} />;
    case 'tool':
      return part.call.name === 'todo' ? (
        <Checklist args={part.call.args} />
      ) : (
        <ToolCard part={part} isAsked={isAsked} session={session} />
      );
    case 'question':
      return <QuestionCard question={part.question} resolution={part.resolution} />;
    case 'notice':
      return <p class="notice quiet">{part.text}</p>;
    case 'recalled':
      return <Recalled items={part.items} tokens={part.tokens} session={session} turn={turn} />;
    case 'steered':
      return (
        <article class="asked" aria-label={t('chat.steered')}>
          <div class="bubble steered">{part.text}</div>
        </article>
      );
  }
}

function WaitingRow(props: { turn: TurnView; message: WaitingMessage; actions: TurnActions }) {
  const { turn, message, actions } = props;
  return (
    <article class="asked" aria-label={t('chat.waitingMessage')}>
      <div class="bubble steered waiting">
        <Folded text={message.text} />
      </div>
      <div class="row-actions">
        <span class="quiet">{t(turn.state === 'ended' ? 'chat.isAskedNext' : 'chat.waitsToJoin')}</span>
        {message.canWithdraw && turn.state !== 'ended' && (
          <Action icon="undo" label={t('chat.withdraw')} onClick={() => actions.onWithdraw(turn, message)} />
        )}
      </div>
    </article>
  );
}

function Thinking({ text, isGrowing }: { text: string; isGrowing: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="thinking">
      <button type="button" class="link-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} /> {t(isGrowing ? 'chat.thinking' : 'chat.thought')}
      </button>
      {isOpen && <div class="thought">{text}</div>}
    </div>
  );
}

const STAGES: Record<string, TextKey> = {
  'tool-limit': 'stage.limit',
  stopped: 'stage.stopped',
  failed: 'stage.failed',
  cancelled: 'stage.cancelled',
};

function Failure({ stage, error }: { stage: TextKey | undefined; error: NonNullable<TurnEnd['error']> }) {
  const { text, detail } = wordedError(error);
  return (
    <div class="note problem">
      <Icon name="warn" />
      <div>
        <p>
          {stage ? `${t(stage)}: ` : ''}
          {text}
        </p>
        {detail !== undefined && <p class="quiet">{detail}</p>}
      </div>
    </div>
  );
}

function EndRow({ turn, actions }: { turn: TurnView; actions: TurnActions }) {
  const { end, state } = turn;
  if (state !== 'ended' || !end)
    return (
      <p class="working" role="status">
        <span class="dots" aria-hidden="true" /> {t(workingText(turn))}
      </p>
    );
  const stage = STAGES[end.stage];
  // Somebody stopped it: that is not a failure.
  const error = end.stage === 'cancelled' ? undefined : end.error;
  return (
    <footer class="turn-end">
      {error && <Failure stage={stage} error={error} />}
      {!error && stage && <p class="quiet">{t(stage)}</p>}
      <div class="row-actions">
        <span class="quiet">{factsOf(turn)}</span>
        <span class="together">
          <Action icon="copy" label={t('chat.copyAnswer')} onClick={() => void copyAnswer(turn)} />
          <Action icon="retry" label={t('chat.retry')} onClick={() => actions.onRetry(turn)} />
          <Action icon="fork" label={t('chat.fork')} onClick={() => actions.onFork(turn)} />
          {turn.parts.some(({ kind }) => kind === 'tool') && (
            <Action icon="undo" label={t('chat.undo')} onClick={() => actions.onUndo(turn)} />
          )}
        </span>
      </div>
    </footer>
  );
}

function workingText({ state, parts }: TurnView): TextKey {
  if (parts.some(isOpenQuestion)) return 'chat.asking';
  return state === 'waiting' ? 'chat.waiting' : 'chat.working';
}

function factsOf({ end, startedAt, endedAt }: TurnView): string {
  const tookMs = Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '');
  const tokens = end?.usage && end.usage.inputTokens + end.usage.outputTokens;
  return [
    end?.model ?? end?.provider,
    Number.isNaN(tookMs) ? undefined : durationText(tookMs),
    tokens ? t('tokens', { count: numberText(tokens) }) : undefined,
    end?.usage?.costUsd === undefined ? undefined : costText(end.usage.costUsd),
  ]
    .filter((each) => each !== undefined)
    .join(' · ');
}

async function copyAnswer(turn: TurnView): Promise<void> {
  const texts = turn.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  await navigator.clipboard.writeText(texts.join('\n\n'));
}

function Action(props: { icon: IconName; label: string; isExpanded?: boolean; onClick(): void }) {
  return (
    <button
      type="button"
      class="icon-button small"
      aria-label={props.label}
      title={props.label}
      aria-expanded={props.isExpanded}
      onClick={props.onClick}
    >
      <Icon name={props.icon} />
    </button>
  );
}
