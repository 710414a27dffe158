// The folders of the sidebar: made, renamed and removed here; a conversation is dragged into one, or put there where it is renamed.
import { useState } from 'preact/hooks';
import { call } from './api/call.ts';
import { useSessionDrop } from './drag-session.ts';
import { HistoryEntry } from './history.tsx';
import { t } from './language/language.ts';
import { ConfirmDialog, Dialog } from './parts/dialog.tsx';
import { Icon } from './parts/icon.tsx';
import { attempt } from './parts/toast.tsx';
import { folders, loadSessions, type SessionEntry } from './state/conversations.ts';

type Folder = (typeof folders.value)[number];
type Open = { kind: 'create' } | { kind: 'rename' | 'remove'; folder: Folder };

export function FolderGroups({ entries, onClose }: { entries: readonly SessionEntry[]; onClose(): void }) {
  const [dialog, setDialog] = useState<Open>();
  const close = (): void => setDialog(undefined);
  return (
    <>
      <button type="button" class="button small wide" onClick={() => setDialog({ kind: 'create' })}>
        <Icon name="plus" /> {t('folder.new')}
      </button>
      {folders.value.map((folder) => (
        <FolderGroup key={folder.id} folder={folder} onDialog={(kind) => setDialog({ kind, folder })}>
          {entries
            .filter(({ sessionKey }) => folder.sessions.includes(sessionKey))
            .map((entry) => (
              <HistoryEntry key={entry.sessionId} entry={entry} onClose={onClose} />
            ))}
        </FolderGroup>
      ))}
      {dialog?.kind === 'create' && <NameDialog onClose={close} />}
      {dialog?.kind === 'rename' && <NameDialog folder={dialog.folder} onClose={close} />}
      {dialog?.kind === 'remove' && (
        <ConfirmDialog
          title={t('folder.removeTitle')}
          text={t('folder.removeText', { name: dialog.folder.name })}
          action={t('delete')}
          onClose={close}
          onConfirm={() => void change(() => call('folders.remove', { id: dialog.folder.id }))}
        />
      )}
    </>
  );
}

interface FolderGroupProps {
  folder: Folder;
  onDialog(kind: 'rename' | 'remove'): void;
  children: preact.ComponentChildren;
}

function FolderGroup({ folder: { id, name, sessions }, onDialog, children }: FolderGroupProps) {
  const { isOver, handlers } = useSessionDrop(id);
  return (
    <details class={isOver ? 'folder over' : 'folder'} open {...handlers}>
      <summary>
        {name} <span class="quiet">{sessions.length}</span>
      </summary>
      <div class="row end">
        <button
          type="button"
          class="icon-button small"
          aria-label={t('rename.of', { title: name })}
          onClick={() => onDialog('rename')}
        >
          <Icon name="edit" />
        </button>
        <button
          type="button"
          class="icon-button small"
          aria-label={t('delete.of', { title: name })}
          onClick={() => onDialog('remove')}
        >
          <Icon name="trash" />
        </button>
      </div>
      <ul>{children}</ul>
    </details>
  );
}

function NameDialog({ folder, onClose }: { folder?: Folder; onClose(): void }) {
  const [name, setName] = useState(folder?.name ?? '');
  return (
    <Dialog title={t(folder ? 'rename' : 'folder.new')} onClose={onClose}>
      <form
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          const done = await change(() =>
            folder ? call('folders.rename', { id: folder.id, name }) : call('folders.create', { name }),
          );
          if (done) onClose();
        }}
      >
        <input
          required
          value={name}
          aria-label={t('folder.name')}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <div class="row end">
          <button type="submit" class="button primary" disabled={name.trim() === ''}>
            {t('save')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

async function change(work: () => Promise<unknown>): Promise<boolean> {
  const done = await attempt(async () => {
    await work();
    await loadSessions();
    return true;
  });
  return done === true;
}
