// Who is signed in, and with which gateway.
import { computed, signal } from '@preact/signals';
import type { Me } from '../api/turns.ts';

export const me = signal<Me | undefined>(undefined);
/** Others have their own conversations and memory, and nothing else. */
export const isOwner = computed(() => me.value?.role === 'owner');
