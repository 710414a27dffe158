// The contract of the home's check: which files are damaged, and what repairs each.
import type { FileProblem, RepairStep } from './file-problems.ts';

/**
 * `restore`: from the newest automatic backup that has it. `lines`: line by line, from the line's own checksum or the backup. `rebuild`: made again
 * from other files. `in-place`: a database keeps its rows, its indexes are made again and the sound part of its log is taken. `set-aside`: it cannot be repaired; without it Lainclaw works as if it had never been there. `private`: its permissions are
 * set. `upgrade`: a newer Lainclaw wrote it. `look`: only a person can tell.
 */
export type Remedy = 'restore' | 'lines' | 'in-place' | 'rebuild' | 'set-aside' | 'private' | 'upgrade' | 'look';

export interface Finding {
  /** Relative to the home. */
  path: string;
  problem: FileProblem;
  /** `advice`: perhaps nothing is wrong. */
  state: 'problem' | 'advice';
  remedy: Remedy;
}

export interface HomeReport {
  findings: Finding[];
  files: number;
  bytes: number;
  /** The newest automatic backup. */
  backup: { file: string; createdAt: string } | undefined;
}

export interface Repaired {
  path: string;
  done: readonly RepairStep[];
  isRepaired: boolean;
}

export interface HomeCheck {
  /** Reads every file of the home. Changes nothing. */
  check(options: { signal: AbortSignal }): Promise<HomeReport>;
  /**
   * Repairs what can be repaired. What is replaced is kept in `damaged-<day>/` in the home. Rejects with BACKUP_HOME_IN_USE while another process uses the
   * home.
   */
  repair(findings: readonly Finding[], options: { now: number; signal: AbortSignal }): Promise<Repaired[]>;
}
