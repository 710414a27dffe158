// MCP servers: add, test, sign in, trust.
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { t } from '../language/language.ts';
import { Icon } from '../parts/icon.tsx';
import { EmptyState } from '../parts/notes.tsx';
import { Page, WhenLoaded } from '../parts/page.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { AddServer } from './mcp/add-server.tsx';
import { ServerCard } from './mcp/server-card.tsx';

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
        {({ servers: listed }) => (
          <>
            {listed.length === 0 && <EmptyState icon="plug" title={t('mcp.emptyTitle')} text={t('mcp.emptyText')} />}
            <ul class="cards">
              {listed.map((server) => (
                <ServerCard key={server.name} server={server} onDone={servers.reload} />
              ))}
            </ul>
          </>
        )}
      </WhenLoaded>
      {isAdding && <AddServer onClose={() => setAdding(false)} onDone={servers.reload} />}
    </Page>
  );
}
