// The conversations of the sidebar: by day, or by the place they belong to.
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { call } from './api/call.ts';
import { dragSession, useSessionDrop } from './drag-session.ts';
import { FolderGroups } from './history-folders.tsx';
import { relativeText } from './language/format.ts';
import { type TextKey, t } from './language/language.ts';
import { ConfirmDialog, Dialog } from './parts/dialog.tsx';
import { Icon } from './parts/icon.tsx';
import { attempt } from './parts/toast.tsx';
import { goTo, hrefOf, route } from './router.ts';
import {
  folders,
  forgetConversation,
  loadSessions,
  runningSessions,
  type SessionEntry,
  sessions,
  titleOf,
} from './state/conversations.ts';

const KEPT = 'lainclaw-history';
type Grouping = 'day' | 'place' | 'folder';
const GROUPINGS: Record<Grouping, TextKey> = {
  day: 'history.byDay',
  folder: 'history.byFolder',
  place: 'history.byPlace',
};
const grouping = signal(groupingOf(localStorage.getItem(KEPT)));

function groupingOf(name: string | null): Grouping {
  return name === 'place' || name === 'folder' ? name : 'day';
}

export function History({ onClose }: { onClose(): void }) {
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
      <label class="grouping">
        <span class="unseen">{t('history.grouping')}</span>
        <select
          class="small-select"
          value={grouping.value}
          onChange={(event) => {
            grouping.value = groupingOf(event.currentTarget.value);
            localStorage.setItem(KEPT, grouping.value);
          }}
        >
          {Object.entries(GROUPINGS).map(([name, text]) => (
            <option key={name} value={name}>
              {t(text)}
            </option>
          ))}
        </select>
      </label>
      {grouping.value === 'folder' && <FolderGroups entries={shown} onClose={onClose} />}
      {shown.length === 0 && <p class="quiet pad">{t(wanted === '' ? 'history.empty' : 'history.none')}</p>}
      <Groups groups={groupsOf(shown)} onClose={onClose} />
    </section>
  );
}

function Groups({ groups, onClose }: { groups: Map<string, SessionEntry[]>; onClose(): void }) {
  const { isOver, handlers } = useSessionDrop(undefined);
  const drop = grouping.value === 'folder' ? handlers : {};
  return (
    <div class={isOver ? 'groups over' : 'groups'} {...drop}>
      {[...groups].map(([name, entries]) => (
        <div key={name}>
          <h2>{name}</h2>
          <ul>
            {entries.map((entry) => (
              <HistoryEntry key={entry.sessionId} entry={entry} onClose={onClose} />
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}

/** Beside the folders, those that are in none. */
function groupsOf(entries: readonly SessionEntry[]): Map<string, SessionEntry[]> {
  if (grouping.value === 'place') return groupedByPlace(entries);
  const sorted = new Set(grouping.value === 'folder' ? folders.value.flatMap((folder) => folder.sessions) : []);
  return groupedByDay(entries.filter(({ sessionKey }) => !sorted.has(sessionKey)));
}

export function HistoryEntry({ entry, onClose }: { entry: SessionEntry; onClose(): void }) {
  const [dialog, setDialog] = useState<'rename' | 'delete'>();
  const { page, id } = route.value;
  const { sessionKey } = entry;
  const title = titleOf(entry);
  const isOpen = page === 'chat' && id === sessionKey;
  return (
    <li class={isOpen ? 'entry current' : 'entry'}>
      <a
        href={hrefOf('chat', sessionKey)}
        aria-current={isOpen ? 'page' : undefined}
        title={title}
        onClick={onClose}
        onDragStart={(event) => dragSession(event, sessionKey)}
      >
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

export function RenameDialog({ entry, onClose }: { entry: SessionEntry; onClose(): void }) {
  const [title, setTitle] = useState(titleOf(entry));
  const folder = folders.value.find(({ sessions: keys }) => keys.includes(entry.sessionKey))?.id ?? '';
  const [target, setTarget] = useState(folder);
  return (
    <Dialog title={t('rename')} onClose={onClose}>
      <form
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          const { sessionKey } = entry;
          const done = await attempt(async () => {
            if (title !== titleOf(entry)) await call('sessions.rename', { key: sessionKey, title });
            if (target !== folder)
              await call('folders.assign', { session: sessionKey, ...(target !== '' && { folder: target }) });
            return true;
          });
          if (!done) return;
          onClose();
          await attempt(loadSessions);
        }}
      >
        <input value={title} aria-label={t('rename.label')} onInput={(event) => setTitle(event.currentTarget.value)} />
        {folders.value.length > 0 && (
          <label class="field">
            <span>{t('folder')}</span>
            <select value={target} onChange={(event) => setTarget(event.currentTarget.value)}>
              <option value="">{t('folder.none')}</option>
              {folders.value.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
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

function groupedByDay(entries: readonly SessionEntry[]): Map<string, SessionEntry[]> {
  const midnight = new Date().setHours(0, 0, 0, 0);
  const groups = new Map<string, SessionEntry[]>();
  for (const entry of entries) {
    const days = Math.ceil((midnight - Date.parse(entry.updatedAt)) / 86_400_000);
    const name: Group =
      days <= 0 ? 'history.today' : days === 1 ? 'history.yesterday' : days <= 7 ? 'history.week' : 'history.older';
    groups.set(t(name), [...(groups.get(t(name)) ?? []), entry]);
  }
  return groups;
}

/** The folder that it was begun in, else the channel or the kind that its key names. */
function groupedByPlace(entries: readonly SessionEntry[]): Map<string, SessionEntry[]> {
  const groups = new Map<string, SessionEntry[]>();
  for (const entry of entries) {
    const folder = entry.workspace?.split(/[\\/]/).findLast((part) => part !== '');
    const kind = /^([a-z]+)[:_]/.exec(entry.sessionKey)?.[1];
    const name =
      kind !== undefined && kind !== 'console' && kind !== 'project' ? kind : (folder ?? t('history.noPlace'));
    groups.set(name, [...(groups.get(name) ?? []), entry]);
  }
  return groups;
}
