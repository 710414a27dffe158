// Who is signed in, and with which gateway.
import { signal } from '@preact/signals';
import type { Me } from '../api/turns.ts';

export const me = signal<Me | undefined>(undefined);
