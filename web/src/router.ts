// Routes are in the hash: the address of the page itself never changes, so that relative addresses work below any path.
import { signal } from '@preact/signals';

export const PAGES = [
  'home',
  'chat',
  'conversations',
  'replay',
  'memory',
  'schedules',
  'channels',
  'agents',
  'tools',
  'mcp',
  'skills',
  'usage',
  'audit',
  'doctor',
  'logs',
  'settings',
  'setup',
] as const;
export type Page = (typeof PAGES)[number];

export interface Route {
  page: Page;
  /** What the page is about, such as the key of a conversation. */
  id?: string;
}

export const route = signal<Route>(parseRoute(location.hash));

addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash);
});

export function parseRoute(hash: string): Route {
  const [page = '', ...rest] = hash.replace(/^#\/?/, '').split('/');
  const known = PAGES.find((each) => each === page);
  if (!known) return { page: 'home' };
  const id = decoded(rest.join('/'));
  return id === '' ? { page: known } : { page: known, id };
}

export function hrefOf(page: Page, id?: string): string {
  return id === undefined ? `#/${page}` : `#/${page}/${encodeURIComponent(id)}`;
}

export function goTo(page: Page, id?: string): void {
  location.hash = hrefOf(page, id);
}

/** Goes there and takes the focus along, for a person who came without a link. */
export function enter(page: Page, id?: string): void {
  if (location.hash === hrefOf(page, id)) {
    const field = document.querySelector<HTMLElement>('.composer textarea');
    return void (field ? field.focus() : focusContent());
  }
  addEventListener('hashchange', focusContent, { once: true });
  goTo(page, id);
}

/** The field of a conversation takes the focus from there once it is drawn. */
export function focusContent(): void {
  document.getElementById('content')?.focus();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
