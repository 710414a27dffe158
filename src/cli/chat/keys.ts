import { matchesKey } from '@earendil-works/pi-tui';

/** What a key means wherever one is; undefined for those that belong to the input or to a question. */
export type KeyAction =
  | 'clear'
  | 'interrupt'
  | 'leave'
  | 'cancel'
  | 'toggle-cards'
  | 'toggle-thoughts'
  | 'next-mode'
  | 'redraw'
  | 'suspend'
  | 'edit'
  | 'paste-picture';

export interface InputState {
  /** A question has the keys. */
  hasPrompt: boolean;
  hasText: boolean;
  /** Suggestions are shown. */
  isCompleting: boolean;
}

export function keyAction(data: string, { hasPrompt, hasText, isCompleting }: InputState): KeyAction | undefined {
  if (matchesKey(data, 'ctrl+c')) return hasText && !hasPrompt ? 'clear' : 'interrupt';
  if (matchesKey(data, 'ctrl+d')) return hasText || hasPrompt ? undefined : 'leave';
  if (matchesKey(data, 'escape')) return hasPrompt || isCompleting ? undefined : 'cancel';
  if (matchesKey(data, 'ctrl+o')) return 'toggle-cards';
  if (matchesKey(data, 'ctrl+t')) return 'toggle-thoughts';
  if (matchesKey(data, 'ctrl+g')) return hasPrompt ? undefined : 'edit';
  if (matchesKey(data, 'ctrl+v')) return hasPrompt ? undefined : 'paste-picture';
  if (matchesKey(data, 'shift+tab')) return hasPrompt ? undefined : 'next-mode';
  if (matchesKey(data, 'ctrl+l')) return 'redraw';
  return matchesKey(data, 'ctrl+z') ? 'suspend' : undefined;
}
