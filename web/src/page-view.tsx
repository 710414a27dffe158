// The page of the route. Each page is loaded when it is first opened.
import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from './language/language.ts';
import { EmptyState, Loading, ProblemNote } from './parts/notes.tsx';
import { Page as PageFrame } from './parts/page.tsx';
import { hrefOf, type Page, route } from './router.ts';
import { PAGE_LINKS } from './sidebar.tsx';
import { isOwner } from './state/me.ts';

type PageComponent = FunctionComponent<{ id?: string }>;

const LOAD: Record<Page, () => Promise<{ default: PageComponent }>> = {
  home: () => import('./pages/home.tsx'),
  chat: () => import('./chat/chat-page.tsx'),
  conversations: () => import('./pages/conversations.tsx'),
  replay: () => import('./pages/replay.tsx'),
  memory: () => import('./pages/memory.tsx'),
  schedules: () => import('./pages/schedules.tsx'),
  channels: () => import('./pages/channels.tsx'),
  agents: () => import('./pages/agents.tsx'),
  tools: () => import('./pages/tools.tsx'),
  mcp: () => import('./pages/mcp.tsx'),
  skills: () => import('./pages/skills.tsx'),
  usage: () => import('./pages/usage.tsx'),
  audit: () => import('./pages/audit.tsx'),
  doctor: () => import('./pages/doctor.tsx'),
  logs: () => import('./pages/logs.tsx'),
  settings: () => import('./pages/settings.tsx'),
  setup: () => import('./pages/setup.tsx'),
};

const loaded = new Map<Page, PageComponent>();

export function PageView() {
  const { page, id } = route.value;
  const [, redraw] = useState(0);
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    setProblem(undefined);
    if (loaded.has(page)) return;
    LOAD[page]()
      .then(({ default: component }) => {
        loaded.set(page, component);
        redraw((count) => count + 1);
      })
      .catch(setProblem);
  }, [page]);
  const link = PAGE_LINKS.find((each) => each.page === page);
  document.title = link ? `${t(link.name)} · Lainclaw` : 'Lainclaw';
  if (!isOwner.value && (page === 'setup' || link?.isOwners)) return <OwnersOnly />;
  if (problem !== undefined) return <ProblemNote problem={problem} onRetry={() => location.reload()} />;
  const Shown = loaded.get(page);
  return Shown ? <Shown key={page} id={id} /> : <Loading />;
}

/** A person who was invited came by an address that is not for them. */
function OwnersOnly() {
  return (
    <PageFrame title={t('owners.title')}>
      <EmptyState icon="lock" title={t('owners.only')} text={t('owners.text')}>
        <a class="button primary" href={hrefOf('home')}>
          {t('page.home')}
        </a>
      </EmptyState>
    </PageFrame>
  );
}
