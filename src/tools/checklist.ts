// A result that is a checklist: the terminal and the console show its newest state, one line for each item.
import type { ToolResult } from './tool.ts';

export const ITEM_STATES = ['pending', 'in_progress', 'completed'] as const;

export interface ChecklistItem {
  text: string;
  status: (typeof ITEM_STATES)[number];
}

const SIGNS: Record<ChecklistItem['status'], string> = { pending: '☐', in_progress: '▸', completed: '☑' };

/** Undefined when the result is none. */
export function checklistOf({ ok, data }: ToolResult): readonly ChecklistItem[] | undefined {
  const { checklist } = (data ?? {}) as { checklist?: unknown };
  return ok && Array.isArray(checklist) && checklist.every(isItem) ? checklist : undefined;
}

export function checklistLines(items: readonly ChecklistItem[]): string[] {
  return items.map(({ text, status }) => `${SIGNS[status]} ${text.replace(/\s+/g, ' ').trim()}`);
}

/** A server's tool may return anything under this name. */
function isItem(item: unknown): item is ChecklistItem {
  const { text, status } = (item ?? {}) as Partial<Record<keyof ChecklistItem, unknown>>;
  return typeof text === 'string' && ITEM_STATES.some((state) => state === status);
}
