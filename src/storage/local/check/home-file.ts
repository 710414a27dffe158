// A kind of file of the home, and how one of it is checked. Each store that keeps files adds its kinds to `kinds.ts`.
import type { Finding } from '../../home-check.ts';

export interface HomeFile {
  /** Relative to the home. */
  path: string;
  /** Absolute. */
  location: string;
  size: number;
}

export type Found = Omit<Finding, 'path' | 'state'> & { state?: Finding['state'] };

export interface HomeFileKind {
  name: string;
  matches(path: string): boolean;
  check(file: HomeFile, home: string): Promise<Found[]>;
}
