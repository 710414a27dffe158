// All conversations: search in everything that was said, rename, delete, export, replay.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { RenameDialog } from '../history.tsx';
import { relativeText, timeText } from '../language/format.ts';
import { t } from '../language/language.ts';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { download } from '../parts/download.ts';
import { Icon } from '../parts/icon.tsx';
import { EmptyState } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { attempt } from '../parts/toast.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { goTo, hrefOf } from '../router.ts';
import { forgetConversation, loadSessions, type SessionEntry, sessions, titleOf } from '../state/conversations.ts';

const FORMATS = ['markdown', 'html', 'json', 'jsonl'] as const;
const ENDINGS = { markdown: 'md', html: 'html', json: 'json', jsonl: 'jsonl' } as const;

export default function Conversations({ id: words = '' }: { id?: string }) {
  return (
    <Page title={t('page.conversations')} about={t('conversations.about')}>
      <form
        class="row"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const typed = new FormData(event.currentTarget).get('words');
          goTo('conversations', String(typed ?? '').trim() || undefined);
        }}
      >
        <input
          key={words}
          name="words"
          type="search"
          defaultValue={words}
          placeholder={t('conversations.search')}
          aria-label={t('conversations.search')}
        />
        <button type="submit" class="button">
          <Icon name="search" /> {t('search')}
        </button>
      </form>
      {words === '' ? <AllConversations /> : <Found words={words} />}
    </Page>
  );
}

function Found({ words }: { words: string }) {
  const found = useLoaded((abort) => call('sessions.search', { words, limit: 50 }, abort), [words]);
  return (
    <WhenLoaded of={found}>
      {(results) =>
        results.length === 0 ? (
          <EmptyState
            icon="search"
            title={t('conversations.noneTitle')}
            text={t('conversations.noneText', { words })}
          />
        ) : (
          <ul class="cards">
            {results.map((each) => (
              <li key={each.sessionId}>
                <a class="card block" href={hrefOf('chat', each.isCurrent ? each.sessionKey : each.sessionId)}>
                  <strong>{each.title ?? each.sessionKey}</strong>
                  <span>{each.snippet}</span>
                  <span class="quiet">
                    {timeText(each.date)} · {t('conversations.matches', { count: each.matches })}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        )
      }
    </WhenLoaded>
  );
}

function AllConversations() {
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
    <div class="table-frame">
      <table class="table stacks">
        <thead>
          <tr>
            <th scope="col">{t('conversations.title')}</th>
            <th scope="col">{t('conversations.updated')}</th>
            <th scope="col">
              <span class="unseen">{t('actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <ConversationLine key={entry.sessionId} entry={entry} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ConversationLine({ entry }: { entry: SessionEntry }) {
  const [dialog, setDialog] = useState<'rename' | 'delete'>();
  const { sessionKey: key } = entry;
  const title = titleOf(entry);
  return (
    <tr>
      <td>
        <a href={hrefOf('chat', key)}>{title}</a>
        <div class="quiet">
          {key}
          {entry.workspace !== undefined && ` · ${entry.workspace}`}
        </div>
      </td>
      <td class="nowrap">{relativeText(entry.updatedAt)}</td>
      <td class="row end">
        <select
          class="small-select"
          aria-label={t('export.of', { title })}
          value=""
          onChange={(event) => {
            const format = event.currentTarget.value as (typeof FORMATS)[number];
            event.currentTarget.value = '';
            void exportAs(key, format);
          }}
        >
          <option value="">{t('export')}</option>
          {FORMATS.map((format) => (
            <option key={format} value={format}>
              {format}
            </option>
          ))}
        </select>
        <a class="icon-button" aria-label={t('replay.of', { title })} title={t('replay')} href={hrefOf('replay', key)}>
          <Icon name="play" />
        </a>
        <button
          type="button"
          class="icon-button"
          aria-label={t('rename.of', { title })}
          title={t('rename')}
          onClick={() => setDialog('rename')}
        >
          <Icon name="edit" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label={t('delete.of', { title })}
          title={t('delete')}
          onClick={() => setDialog('delete')}
        >
          <Icon name="trash" />
        </button>
        {dialog === 'rename' && <RenameDialog entry={entry} onClose={() => setDialog(undefined)} />}
        {dialog === 'delete' && (
          <ConfirmDialog
            title={t('delete.title')}
            text={t('delete.text', { title })}
            action={t('delete')}
            onClose={() => setDialog(undefined)}
            onConfirm={async () => {
              await attempt(() => call('sessions.delete', { key }));
              forgetConversation(key);
              await attempt(loadSessions);
            }}
          />
        )}
      </td>
    </tr>
  );
}

async function exportAs(key: string, format: (typeof FORMATS)[number]): Promise<void> {
  const exported = await attempt(() => call('sessions.export', { key, format }));
  if (exported?.document !== undefined)
    download(`${key.replace(/[^\w.-]+/g, '-')}.${ENDINGS[format]}`, exported.document);
}
