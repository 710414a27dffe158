// Light or dark: as the system says, unless the person has chosen.
import { signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEPT = 'lainclaw-theme';

export const theme = signal<Theme>('system');

export function openTheme(): void {
  const kept = localStorage.getItem(KEPT);
  apply(THEMES.find((each) => each === kept) ?? 'system');
}

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(KEPT, chosen);
  apply(chosen);
}

function apply(chosen: Theme): void {
  theme.value = chosen;
  if (chosen === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.dataset.theme = chosen;
}
