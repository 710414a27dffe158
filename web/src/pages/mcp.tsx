// MCP servers: add, test, trust.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Output } from '../api/operations.ts';
import { t } from '../language/language.ts';
import { ConfirmDialog, Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { EmptyState } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { attempt, say } from '../parts/toast.tsx';
import { useLoaded } from '../parts/use-loaded.ts';

type Server = Output<'mcp.list'>['servers'][number];

export default function Mcp() {
  const [isAdding, setAdding] = useState(false);
  const servers = useLoaded((abort) => call('mcp.list', {}, abort), []);
  return (
    <Page
      title={t('page.mcp')}
      about={t('mcp.about')}
      actions={
        <button type="button" class="button primary" onClick={() => setAdding(true)}>
          <Icon name="plus" /> {t('mcp.add')}
        </button>
      }
    >
      <WhenLoaded of={servers}>
        {({ servers: listed, problems }) => (
          <>
            {problems.map((problem) => (
              <p key={problem} class="note problem">
                {problem}
              </p>
            ))}
            {listed.length === 0 && <EmptyState icon="plug" title={t('mcp.emptyTitle')} text={t('mcp.emptyText')} />}
            <ul class="cards">
              {listed.map((server) => (
                <ServerCard key={server.name} server={server} onDone={servers.reload} />
              ))}
            </ul>
          </>
        )}
      </WhenLoaded>
      {isAdding && <AddDialog onClose={() => setAdding(false)} onDone={servers.reload} />}
    </Page>
  );
}

function ServerCard({ server, onDone }: { server: Server; onDone(): void }) {
  const [asking, setAsking] = useState<'trust' | 'remove'>();
  const { name, command, args = [], url, tools, trusted } = server;
  const isTrusted = trusted.length > 0;
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    await attempt(work);
    onDone();
  };
  return (
    <li class="card">
      <div class="row wrap">
        <strong>{name}</strong>
        {isTrusted && <span class="state ok">{t('mcp.trusted')}</span>}
        <span class="grow" />
        <button
          type="button"
          class="button small"
          onClick={() =>
            act(async () => {
              const tested = await call('mcp.test', { name });
              say(t('mcp.tested', { name, count: tested.tools.length }));
            })
          }
        >
          {t('mcp.test')}
        </button>
        {isTrusted ? (
          <button type="button" class="button small" onClick={() => act(() => call('mcp.distrust', { name }))}>
            {t('mcp.distrust')}
          </button>
        ) : (
          <button type="button" class="button small" onClick={() => setAsking('trust')}>
            {t('mcp.trust')}
          </button>
        )}
        <button
          type="button"
          class="icon-button"
          aria-label={t('delete.of', { title: name })}
          onClick={() => setAsking('remove')}
        >
          <Icon name="trash" />
        </button>
      </div>
      <p class="quiet">
        <code>{url ?? [command, ...args].join(' ')}</code>
      </p>
      <p class="chips">
        {tools.map((tool) => (
          <span key={tool} class="chip">
            {tool}
          </span>
        ))}
      </p>
      {asking === 'trust' && (
        <ConfirmDialog
          title={t('mcp.trustTitle', { name })}
          text={t('mcp.trustText')}
          action={t('mcp.trust')}
          onClose={() => setAsking(undefined)}
          onConfirm={() => void act(() => call('mcp.trust', { name }))}
        />
      )}
      {asking === 'remove' && (
        <ConfirmDialog
          title={t('mcp.removeTitle', { name })}
          text={t('mcp.removeText')}
          action={t('delete')}
          onClose={() => setAsking(undefined)}
          onConfirm={() => void act(() => call('mcp.remove', { name }))}
        />
      )}
    </li>
  );
}

function AddDialog({ onClose, onDone }: { onClose(): void; onDone(): void }) {
  const [name, setName] = useState('');
  const [address, setAddress] = useState('');
  return (
    <Dialog title={t('mcp.add')} onClose={onClose}>
      <form
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          const words = address.trim().split(/\s+/);
          const [command = '', ...args] = words;
          const server = /^https?:\/\//.test(command) ? { url: command } : { command, args };
          const added = await attempt(() => call('mcp.add', { name: name.trim(), ...server }));
          if (!added) return;
          say(t(added.reached ? 'mcp.added' : 'mcp.notReached', { name, count: added.tools.length }));
          onDone();
          onClose();
        }}
      >
        <label class="field">
          <span>{t('mcp.name')}</span>
          <input required value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <label class="field">
          <span>{t('mcp.address')}</span>
          <input required value={address} onInput={(event) => setAddress(event.currentTarget.value)} />
          <small class="quiet">{t('mcp.addressHint')}</small>
        </label>
        <div class="row end">
          <button type="submit" class="button primary">
            {t('mcp.add')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
