// Channels: the state of each connection, who waits to be admitted, what could not be sent, and connecting a bot.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { relativeText, timeText } from '../language/format.ts';
import { t, wordText } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { EmptyState } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { attempt, say } from '../parts/toast.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { useStream } from '../parts/use-stream.ts';
import { ConnectBot } from './connect-bot.tsx';
import { RestartGateway } from './restart-gateway.tsx';

export default function Channels() {
  const [isConnecting, setConnecting] = useState(false);
  const loaded = useLoaded(async (abort) => {
    const [gateway, pairing, setup] = await Promise.all([
      call('gateway.status', {}, abort),
      call('pairing.list', {}, abort),
      call('setup.detect', {}, abort),
    ]);
    return { gateway, pairing, setUp: setup.channels };
  }, []);
  useStream(['changed', 'log', 'reset'], loaded.reload);
  return (
    <Page
      title={t('page.channels')}
      about={t('channels.about')}
      actions={
        <>
          <button type="button" class="button" onClick={loaded.reload}>
            <Icon name="retry" /> {t('reload')}
          </button>
          <button type="button" class="button primary" onClick={() => setConnecting(true)}>
            <Icon name="plus" /> {t('channels.connect')}
          </button>
        </>
      }
    >
      <WhenLoaded of={loaded}>
        {({ gateway, pairing, setUp }) => (
          <>
            <Connections gateway={gateway} setUp={setUp} onConnect={() => setConnecting(true)} onDone={loaded.reload} />
            {(hasBot(gateway, setUp) || pairing.requests.length > 0) && (
              <Requests requests={pairing.requests} onDone={loaded.reload} />
            )}
            <Allowed allowed={pairing.allowed} onDone={loaded.reload} />
            {(hasBot(gateway, setUp) || lettersOf(gateway).length > 0) && (
              <DeadLetters letters={lettersOf(gateway)} onDone={loaded.reload} />
            )}
          </>
        )}
      </WhenLoaded>
      {isConnecting && <ConnectBot onClose={() => setConnecting(false)} onDone={loaded.reload} />}
    </Page>
  );
}

type Gateway = Output<'gateway.status'>;

function connectionsOf(gateway: Gateway) {
  return (gateway.status === 'running' && gateway.connections) || [];
}

function lettersOf(gateway: Gateway): readonly Letter[] {
  return (gateway.status === 'running' && gateway.deadLetters) || [];
}

function hasBot(gateway: Gateway, setUp: readonly string[]): boolean {
  return setUp.length > 0 || connectionsOf(gateway).length > 0;
}

interface ConnectionsProps {
  gateway: Gateway;
  setUp: readonly string[];
  onConnect(): void;
  onDone(): void;
}

function Connections({ gateway, setUp, onConnect, onDone }: ConnectionsProps) {
  const connections = connectionsOf(gateway);
  const isKnown = gateway.status === 'running' && gateway.connections !== undefined;
  const waiting = setUp.filter((channel) => isKnown && !connections.some((each) => each.channel === channel));
  if (!hasBot(gateway, setUp))
    return (
      <EmptyState icon="channel" title={t('channels.emptyTitle')} text={t('channels.emptyText')}>
        <button type="button" class="button primary" onClick={onConnect}>
          {t('channels.connect')}
        </button>
      </EmptyState>
    );
  return (
    <section aria-labelledby="connections">
      <h2 id="connections">{t('channels.connections')}</h2>
      <ul class="cards grid">
        {connections.map(({ channel, account, state, since, reconnects, lastError }) => (
          <li key={`${channel}-${account}`} class="card">
            <div class="row">
              <strong>{channel}</strong> <span class={`state ${state}`}>{wordText(state)}</span>
            </div>
            <p class="quiet">
              {account} · {relativeText(new Date(since).toISOString())}
              {reconnects > 0 && ` · ${t('channels.reconnects', { count: reconnects })}`}
            </p>
            {lastError !== undefined && <p class="problem-text">{lastError}</p>}
          </li>
        ))}
        {waiting.map((channel) => (
          <li key={channel} class="card stack">
            <strong>{channel}</strong>
            <RestartGateway text={t('channels.restart')} doneText={t('settings.restarted')} onRestarted={onDone} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Requests({ requests, onDone }: { requests: Output<'pairing.list'>['requests']; onDone(): void }) {
  return (
    <section aria-labelledby="requests">
      <h2 id="requests">{t('channels.requests')}</h2>
      {requests.length === 0 && <p class="quiet">{t('channels.noRequests')}</p>}
      {requests.map(({ id, code, channel, account, meta, expiresAt }) => (
        <div key={code} class="card row wrap">
          <p class="grow">
            <strong>{meta?.name ?? id}</strong> · {channel} · <code>{code}</code>{' '}
            <span class="quiet">{t('channels.expires', { when: relativeText(expiresAt) })}</span>
          </p>
          <button
            type="button"
            class="button primary"
            onClick={async () => {
              const done = await attempt(() => call('pairing.approve', { code, channel, account }));
              if (done) say(t('channels.approved', { name: meta?.name ?? id }));
              onDone();
            }}
          >
            <Icon name="check" /> {t('channels.approve')}
          </button>
          <button
            type="button"
            class="button"
            onClick={async () => {
              await attempt(() => call('pairing.revoke', { entry: id, channel, account }));
              onDone();
            }}
          >
            {t('channels.refuse')}
          </button>
        </div>
      ))}
    </section>
  );
}

function Allowed({ allowed, onDone }: { allowed: Output<'pairing.list'>['allowed']; onDone(): void }) {
  if (allowed.length === 0) return null;
  return (
    <section aria-labelledby="allowed">
      <h2 id="allowed">{t('channels.allowed')}</h2>
      <ul class="lines">
        {allowed.map(({ channel, entry, account }) => (
          <li key={`${channel}-${account}-${entry}`} class="row">
            <span class="grow">
              {entry} <span class="quiet">{channel}</span>
            </span>
            <button
              type="button"
              class="button small"
              onClick={async () => {
                await attempt(() =>
                  call('pairing.revoke', { entry, channel, ...(account !== undefined && { account }) }),
                );
                onDone();
              }}
            >
              {t('channels.revoke')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Letter = NonNullable<Extract<Output<'gateway.status'>, { status: 'running' }>['deadLetters']>[number];

function DeadLetters({ letters, onDone }: { letters: readonly Letter[]; onDone(): void }) {
  const retry = async (key?: string): Promise<void> => {
    const done = await attempt(() => call('gateway.retry', key === undefined ? {} : { key }));
    if (done) say(t('channels.retried', { count: done.retried }));
    onDone();
  };
  return (
    <section aria-labelledby="dead-letters">
      <div class="row">
        <h2 id="dead-letters">{t('channels.deadLetters')}</h2>
        <span class="grow" />
        {letters.length > 1 && (
          <button type="button" class="button small" onClick={() => retry()}>
            {t('channels.retryAll')}
          </button>
        )}
      </div>
      {letters.length === 0 && <p class="quiet">{t('channels.noDeadLetters')}</p>}
      {letters.map(({ key, channel, chatId, attempts, diedAt, lastError }) => (
        <div key={key} class="card row wrap">
          <p class="grow">
            {channel}:{chatId} · {timeText(diedAt)} · {t('channels.attempts', { count: attempts })}{' '}
            <span class="problem-text">{lastError}</span>
          </p>
          <button type="button" class="button small" onClick={() => retry(key)}>
            {t('home.sendAgain')}
          </button>
        </div>
      ))}
    </section>
  );
}
