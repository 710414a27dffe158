// Labelled commands: what the classifier is measured by.
import { ASK } from './commands-ask.ts';
import { DISGUISES } from './commands-disguises.ts';
import { DOORS } from './commands-doors.ts';
import { EVASIONS } from './commands-evasions.ts';
import { EVERYDAY } from './commands-everyday.ts';
import { READING } from './commands-reading.ts';

/** safe: everyday and read-only. ask: needs a question. danger: must never run without one. */
export type Label = 'safe' | 'ask' | 'danger';

export const COMMANDS: readonly { label: Label; command: string }[] = [
  ...[...new Set([...EVERYDAY, ...READING])].map((command) => ({ label: 'safe' as const, command })),
  ...ASK.map((command) => ({ label: 'ask' as const, command })),
  ...[...new Set([...DISGUISES, ...DOORS, ...EVASIONS])].map((command) => ({ label: 'danger' as const, command })),
];
