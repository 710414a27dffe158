import { auditStep } from './audit.ts';
import { filesStep } from './files.ts';
import { jobsStep } from './jobs.ts';
import { leasesStep } from './leases.ts';
import { limitsStep } from './limits.ts';
import { mailboxStep } from './mailbox.ts';
import { memoryStep } from './memory.ts';
import { presenceStep } from './presence.ts';
import { sessionsStep } from './sessions.ts';
import { spreadTurnsStep } from './spread-turns.ts';
import type { Step } from './step.ts';
import { turnExchangeStep } from './turn-exchange.ts';
import { undoStep } from './undo.ts';

/** In order: the number of a step is its place, counted from 1. */
export const STEPS: readonly Step[] = [
  leasesStep,
  sessionsStep,
  mailboxStep,
  jobsStep,
  undoStep,
  spreadTurnsStep,
  memoryStep,
  auditStep,
  turnExchangeStep,
  filesStep,
  limitsStep,
  presenceStep,
];
