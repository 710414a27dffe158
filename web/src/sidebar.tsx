// The side of the page: the pages, and the conversations with their search.
import { useState } from 'preact/hooks';
import { History } from './history.tsx';
import { type TextKey, t } from './language/language.ts';
import { Icon, type IconName } from './parts/icon.tsx';
import { hrefOf, type Page, route } from './router.ts';
import { isOwner, me } from './state/me.ts';
import { questions } from './state/questions.ts';

export interface PageLink {
  page: Page;
  icon: IconName;
  name: TextKey;
  /** Only the owner's. */
  isOwners?: true;
}

const ALWAYS_SHOWN = 5;

export const PAGE_LINKS: readonly PageLink[] = [
  { page: 'home', icon: 'home', name: 'page.home' },
  { page: 'conversations', icon: 'list', name: 'page.conversations' },
  { page: 'memory', icon: 'memory', name: 'page.memory' },
  { page: 'schedules', icon: 'clock', name: 'page.schedules', isOwners: true },
  { page: 'channels', icon: 'channel', name: 'page.channels', isOwners: true },
  { page: 'agents', icon: 'agent', name: 'page.agents', isOwners: true },
  { page: 'tools', icon: 'tool', name: 'page.tools', isOwners: true },
  { page: 'mcp', icon: 'plug', name: 'page.mcp', isOwners: true },
  { page: 'skills', icon: 'book', name: 'page.skills', isOwners: true },
  { page: 'usage', icon: 'chart', name: 'page.usage', isOwners: true },
  { page: 'audit', icon: 'lock', name: 'page.audit', isOwners: true },
  { page: 'doctor', icon: 'pulse', name: 'page.doctor', isOwners: true },
  { page: 'logs', icon: 'file', name: 'page.logs', isOwners: true },
  { page: 'settings', icon: 'gear', name: 'page.settings' },
];

/** The pages that this person has. */
export function pageLinks(): readonly PageLink[] {
  return PAGE_LINKS.filter((link) => isOwner.value || !link.isOwners);
}

export function Sidebar({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const [isExpanded, expand] = useState(false);
  const links = pageLinks();
  const isHidden = links.slice(ALWAYS_SHOWN).some(({ page }) => page === route.value.page);
  const areAllShown = isExpanded || isHidden;
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
        {(areAllShown ? links : links.slice(0, ALWAYS_SHOWN)).map(({ page, icon, name }) => (
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
          <button type="button" aria-expanded={areAllShown} onClick={() => expand(!areAllShown)}>
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
