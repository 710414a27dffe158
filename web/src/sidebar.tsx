// The side of the page: the pages, and the conversations with their search.
import { useState } from 'preact/hooks';
import { call } from './api/call.ts';
import { relativeText } from './language/format.ts';
import { type TextKey, t } from './language/language.ts';
import { ConfirmDialog, Dialog } from './parts/dialog.tsx';
import { Icon, type IconName } from './parts/icon.tsx';
import { attempt } from './parts/toast.tsx';
import { goTo, hrefOf, type Page, route } from './router.ts';
import {
  forgetConversation,
  loadSessions,
  runningSessions,
  type SessionEntry,
  sessions,
  titleOf,
} from './state/conversations.ts';
import { me } from './state/me.ts';
import { questions } from './state/questions.ts';

export interface PageLink {
  page: Page;
  icon: IconName;
  name: TextKey;
  /** Only the owner's. */
  isOwners?: true;
}

export const PAGE_LINKS: readonly PageLink[] = [
  { page: 'home', icon: 'home', name: 'page.home' },
  { page: 'conversations', icon: 'list', name: 'page.conversations' },
  { page: 'memory', icon: 'memory', name: 'page.memory' },
  { page: 'schedules', icon: 'clock', name: 'page.schedules' },
  { page: 'channels', icon: 'channel', name: 'page.channels' },
  { page: 'agents', icon: 'agent', name: 'page.agents' },
  { page: 'tools', icon: 'tool', name: 'page.tools' },
  { page: 'mcp', icon: 'plug', name: 'page.mcp' },
  { page: 'skills', icon: 'book', name: 'page.skills' },
  { page: 'usage', icon: 'chart', name: 'page.usage' },
  { page: 'doctor', icon: 'pulse', name: 'page.doctor' },
  { page: 'logs', icon: 'file', name: 'page.logs' },
  { page: 'settings', icon: 'gear', name: 'page.settings' },
];

export function Sidebar({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const [areAllShown, showAll] = useState(false);
  const links = areAllShown ? PAGE_LINKS : PAGE_LINKS.slice(0, 5);
  return (
    <nav id="sidebar" class={isOpen ? 'sidebar open' : 'sidebar'} aria-label={t('navigation')}>
      <div class="brand">
        <img src="./icon.svg" alt="" width="28" height="28" />
        <strong>Lainclaw</strong>
        <button type="button" class="icon-button only-phone" aria-label={t('close')} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <a class="button primary wide" href={hrefOf('chat')} onClick={onClose}>
        <Icon name="plus" /> {t('chat.new')}
      </a>
      <ul class="pages">
        {links.map(({ page, icon, name }) => (
          <li key={page}>
            <a href={hrefOf(page)} aria-current={route.value.page === page ? 'page' : undefined} onClick={onClose}>
              <Icon name={icon} /> {t(name)}
              {page === 'home' && questions.value.length > 0 && (
                <span class="badge">
                  {questions.value.length}
                  <span class="unseen"> {t('home.questions')}</span>
                </span>
              )}
            </a>
          </li>
        ))}
        <li>
          <button type="button" aria-expanded={areAllShown} onClick={() => showAll(!areAllShown)}>
            <Icon name={areAllShown ? 'down' : 'more'} /> {t(areAllShown ? 'lessPages' : 'morePages')}
          </button>
        </li>
      </ul>
      <History onClose={onClose} />
      <p class="sidebar-foot quiet">
        {me.value && t('version', { version: me.value.version })}
        <a href={hrefOf('settings')} class="icon-button small" aria-label={t('page.settings')} onClick={onClose}>
          <Icon name="gear" />
        </a>
      </p>
    </nav>
  );
}

function History({ onClose }: { onClose(): void }) {
  const [words, setWords] = useState('');
  const wanted = words.trim().toLocaleLowerCase();
  const all = sessions.value ?? [];
  const shown =
    wanted === ''
      ? all
      : all.filter((entry) => `${titleOf(entry)} ${entry.sessionKey}`.toLocaleLowerCase().includes(wanted));
  return (
    <section class="history" aria-label={t('history')}>
      <label class="search">
        <Icon name="search" />
        <input
          type="search"
          value={words}
          placeholder={t('history.search')}
          aria-label={t('history.search')}
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && wanted !== '') goTo('conversations', words.trim());
          }}
        />
      </label>
      {shown.length === 0 && <p class="quiet pad">{t(wanted === '' ? 'history.empty' : 'history.none')}</p>}
      {[...groupedByDay(shown)].map(([name, entries]) => (
        <div key={name}>
          <h2>{t(name)}</h2>
          <ul>
            {entries.map((entry) => (
              <HistoryEntry key={entry.sessionId} entry={entry} onClose={onClose} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

function HistoryEntry({ entry, onClose }: { entry: SessionEntry; onClose(): void }) {
  const [dialog, setDialog] = useState<'rename' | 'delete'>();
  const { page, id } = route.value;
  const { sessionKey } = entry;
  const title = titleOf(entry);
  const isOpen = page === 'chat' && id === sessionKey;
  return (
    <li class={isOpen ? 'entry current' : 'entry'}>
      <a href={hrefOf('chat', sessionKey)} aria-current={isOpen ? 'page' : undefined} title={title} onClick={onClose}>
        {runningSessions.value.has(sessionKey) && <span class="live" role="img" aria-label={t('chat.working')} />}
        <span class="entry-title">{title}</span>
        <small class="quiet">{relativeText(entry.updatedAt, 'narrow')}</small>
      </a>
      <span class="entry-actions">
        <button
          type="button"
          class="icon-button small"
          aria-label={t('rename.of', { title })}
          onClick={() => setDialog('rename')}
        >
          <Icon name="edit" />
        </button>
        <button
          type="button"
          class="icon-button small"
          aria-label={t('delete.of', { title })}
          onClick={() => setDialog('delete')}
        >
          <Icon name="trash" />
        </button>
      </span>
      {dialog === 'rename' && <RenameDialog entry={entry} onClose={() => setDialog(undefined)} />}
      {dialog === 'delete' && (
        <ConfirmDialog
          title={t('delete.title')}
          text={t('delete.text', { title })}
          action={t('delete')}
          onClose={() => setDialog(undefined)}
          onConfirm={() => void remove(entry)}
        />
      )}
    </li>
  );
}

function RenameDialog({ entry, onClose }: { entry: SessionEntry; onClose(): void }) {
  const [title, setTitle] = useState(titleOf(entry));
  return (
    <Dialog title={t('rename')} onClose={onClose}>
      <form
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          const done = await attempt(() => call('sessions.rename', { key: entry.sessionKey, title }));
          if (!done) return;
          onClose();
          await attempt(loadSessions);
        }}
      >
        <input value={title} aria-label={t('rename.label')} onInput={(event) => setTitle(event.currentTarget.value)} />
        <div class="row end">
          <button type="submit" class="button primary" disabled={title.trim() === ''}>
            {t('save')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

async function remove({ sessionKey }: SessionEntry): Promise<void> {
  const done = await attempt(() => call('sessions.delete', { key: sessionKey }));
  if (!done) return;
  forgetConversation(sessionKey);
  if (route.value.page === 'chat' && route.value.id === sessionKey) goTo('chat');
  await attempt(loadSessions);
}

type Group = Extract<TextKey, `history.${'today' | 'yesterday' | 'week' | 'older'}`>;

function groupedByDay(entries: readonly SessionEntry[]): Map<Group, SessionEntry[]> {
  const midnight = new Date().setHours(0, 0, 0, 0);
  const groups = new Map<Group, SessionEntry[]>();
  for (const entry of entries) {
    const days = Math.ceil((midnight - Date.parse(entry.updatedAt)) / 86_400_000);
    const name: Group =
      days <= 0 ? 'history.today' : days === 1 ? 'history.yesterday' : days <= 7 ? 'history.week' : 'history.older';
    groups.set(name, [...(groups.get(name) ?? []), entry]);
  }
  return groups;
}
