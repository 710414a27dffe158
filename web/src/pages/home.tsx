// Home: what waits for the person, over everything that runs.
import { useEffect, useMemo } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { LivePane } from '../chat/live-pane.tsx';
import { QuestionCard } from '../chat/question-card.tsx';
import { durationText, relativeText, timeText } from '../language/format.ts';
import { t } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { EmptyState } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { attempt, say } from '../parts/toast.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { useStream } from '../parts/use-stream.ts';
import { hrefOf } from '../router.ts';
import { conversationOf, runningSessions, type SessionEntry, sessions, titleOf } from '../state/conversations.ts';
import { finishedTurns, loadFinished, markSeen } from '../state/finished.ts';
import { isOwner } from '../state/me.ts';
import { questions } from '../state/questions.ts';
import { ProposalCard } from './facts.tsx';

const RECENT = 6;
/** The job whose running command is shown. */
const MOST_LIVE = 4;

export default function Home() {
  const waiting = useLoaded(loadWaiting, []);
  // Who wants to write, jobs and messages that were given up are in the log.
  useStream(['run-end', 'changed', 'log', 'reset'], waiting.reload);
  // The list of sessions is loaded again after each turn.
  useEffect(() => void loadFinished().catch(() => {}), [sessions.value]);
  return (
    <Page title={t('page.home')}>
      <WhenLoaded of={waiting}>{(value) => <Waiting {...value} onDone={waiting.reload} />}</WhenLoaded>
      <Running />
      <Recent />
    </Page>
  );
}

const NOTHING = {
  isConnected: true,
  bots: [],
  failedJobs: [],
  deadLetters: [],
  requests: [],
  proposals: [],
  people: [],
};

async function loadWaiting(abort: AbortSignal) {
  if (!isOwner.value) return NOTHING;
  const [setup, jobs, gateway, pairing, facts, people] = await Promise.all([
    call('setup.detect', {}, abort),
    call('schedule.list', {}, abort),
    call('gateway.status', {}, abort),
    call('pairing.list', {}, abort),
    call('memory.log', { limit: 1 }, abort),
    call('console.people', {}, abort),
  ]);
  return {
    isConnected: setup.present.isConnected,
    failedJobs: jobs.jobs.filter(({ failures, status }) => failures > 0 && status !== 'done'),
    bots: botsWithTrouble(gateway, setup.channels),
    deadLetters: (gateway.status === 'running' && gateway.deadLetters) || [],
    requests: pairing.requests,
    proposals: facts.proposals,
    people,
  };
}

/** Those that do not run although they are set up, and those that lost their connection. */
function botsWithTrouble(
  gateway: Output<'gateway.status'>,
  setUp: readonly string[],
): { name: string; why?: string; isSetUp?: true }[] {
  // A gateway that is too busy to answer says nothing about its bots.
  if (gateway.status !== 'running' || gateway.connections === undefined) return [];
  const { connections } = gateway;
  return [
    ...setUp
      .filter((channel) => !connections.some((each) => each.channel === channel))
      .map((name) => ({ name, isSetUp: true as const })),
    ...connections
      .filter(({ state, lastError }) => state === 'closed' || (state === 'disconnected' && lastError !== undefined))
      .map(({ channel, account, lastError }) => ({
        name: account === 'default' ? channel : `${channel}/${account}`,
        why: lastError,
      })),
  ];
}

type WaitingValue = Awaited<ReturnType<typeof loadWaiting>>;

function Waiting(props: WaitingValue & { onDone(): void }) {
  const { isConnected, bots, failedJobs, deadLetters, requests, proposals, people, onDone } = props;
  const finished = finishedTurns.value;
  const others = [bots, failedJobs, deadLetters, requests, proposals, finished ?? []];
  const count = others.reduce((sum, { length }) => sum + length, questions.value.length);
  return (
    <section aria-labelledby="waiting">
      {!isConnected && (
        <div class="note">
          <Icon name="plug" />
          <p>{t('home.noModel')}</p>
          <a class="button primary" href={hrefOf('setup')}>
            {t('home.setUp')}
          </a>
        </div>
      )}
      <h2 id="waiting">{t('home.waiting')}</h2>
      {count === 0 && finished && <p class="quiet">{t('home.nothing')}</p>}
      {questions.value.map(({ question, session }) => (
        <div key={question.id} class="card">
          <QuestionCard question={question} />
          {session !== undefined && (
            <p>
              <a href={hrefOf('chat', session)}>{t('home.openConversation')}</a>{' '}
              <span class="quiet">
                {[titleOfKey(session), personOf(session, people)].filter((each) => each !== undefined).join(' · ')}
              </span>
            </p>
          )}
        </div>
      ))}
      {finished?.map(({ id, sessionKey, endedAt, tookMs }) => (
        <div key={id} class="card row">
          <p>
            {t('home.finished', { title: titleOfKey(sessionKey) })}{' '}
            <span class="quiet">
              {relativeText(endedAt)} · {durationText(tookMs)}
            </span>
          </p>
          <span class="grow" />
          <a class="button" href={hrefOf('chat', sessionKey)}>
            {t('home.look')}
          </a>
          <button
            type="button"
            class="icon-button"
            aria-label={t('home.seen', { title: titleOfKey(sessionKey) })}
            title={t('home.seen', { title: titleOfKey(sessionKey) })}
            onClick={() => markSeen(sessionKey, id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      {requests.map(({ code, channel, meta, createdAt }) => (
        <div key={code} class="card row">
          <p>
            {t('home.pairing', { name: meta?.name ?? '?', channel })}{' '}
            <span class="quiet">{relativeText(createdAt)}</span>
          </p>
          <span class="grow" />
          <a class="button" href={hrefOf('channels')}>
            {t('home.look')}
          </a>
        </div>
      ))}
      {proposals.map((proposal) => (
        <ProposalCard key={proposal.number} proposal={proposal} onDone={onDone} />
      ))}
      {bots.map(({ name, why, isSetUp }) => (
        <div key={name} class="card row">
          <p>
            {t(isSetUp ? 'home.botSetUp' : 'home.botAway', { name })}{' '}
            {why !== undefined && <span class="quiet">{why}</span>}
          </p>
          <span class="grow" />
          <a class="button" href={hrefOf('channels')}>
            {t('home.look')}
          </a>
        </div>
      ))}
      {failedJobs.map(({ name, failures, reason }) => (
        <div key={name} class="card row">
          <p>
            {t('home.failedJob', { name, failures })} {reason !== undefined && <span class="quiet">{reason}</span>}
          </p>
          <span class="grow" />
          <a class="button" href={hrefOf('schedules', name)}>
            {t('home.look')}
          </a>
        </div>
      ))}
      {deadLetters.map(({ key, channel, chatId, lastError, diedAt }) => (
        <div key={key} class="card row">
          <p>
            {t('home.deadLetter', { chat: `${channel}:${chatId}` })}{' '}
            <span class="quiet">
              {timeText(diedAt)} {lastError}
            </span>
          </p>
          <span class="grow" />
          <button
            type="button"
            class="button"
            onClick={async () => {
              if (await attempt(() => call('gateway.retry', { key }))) say(t('home.retried'));
              onDone();
            }}
          >
            {t('home.sendAgain')}
          </button>
        </div>
      ))}
    </section>
  );
}

function Running() {
  const running = (sessions.value ?? []).filter(({ sessionKey }) => runningSessions.value.has(sessionKey));
  if (running.length === 0) return null;
  return (
    <section aria-labelledby="running">
      <h2 id="running">{t('home.running')}</h2>
      <ul class="cards">
        {running.map((entry, index) => (
          <li key={entry.sessionKey} class="card stack">
            <p class="row">
              <span class="live" aria-hidden="true" />
              <a href={hrefOf('chat', entry.sessionKey)}>{titleOf(entry)}</a>
            </p>
            {index < MOST_LIVE && <RunningCommand entry={entry} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function RunningCommand({ entry: { sessionKey } }: { entry: SessionEntry }) {
  const { turns } = useMemo(() => conversationOf(sessionKey), [sessionKey]);
  return <LivePane turn={turns.value.findLast(({ state }) => state !== 'ended')} />;
}

/** Whose conversation it is, where it is not the owner's. */
function personOf(session: string, people: readonly { id: string; name: string }[]): string | undefined {
  return people.find(({ id }) => session.startsWith(`console:${id}:`))?.name;
}

function titleOfKey(key: string): string {
  const entry = sessions.value?.find(({ sessionKey }) => sessionKey === key);
  return entry ? titleOf(entry) : key;
}

function Recent() {
  const entries = sessions.value ?? [];
  if (entries.length === 0)
    return (
      <EmptyState icon="chat" title={t('home.emptyTitle')} text={t('home.emptyText')}>
        <a class="button primary" href={hrefOf('chat')}>
          {t('chat.new')}
        </a>
      </EmptyState>
    );
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">{t('home.recent')}</h2>
      <ul class="cards grid">
        {entries.slice(0, RECENT).map((entry) => (
          <li key={entry.sessionKey}>
            <a class="card block" href={hrefOf('chat', entry.sessionKey)}>
              <strong>{titleOf(entry)}</strong>
              <span class="quiet" title={entry.sessionKey}>
                {relativeText(entry.updatedAt)}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
