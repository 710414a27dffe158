// Who changes chunks and who swaps indexes. Saving and removing share the lock; a rebuild takes it alone for each of its short transactions, so that no
// chunk appears or goes between the moment it looks and the moment it writes. Numbers of chunks do not come in the order of commits.
import type { Query } from '../database.ts';
import type { ArchiveState, ArchiveTables } from './tables.ts';

export async function shareIndex(query: Query, tables: ArchiveTables): Promise<ArchiveState> {
  await query(`SELECT pg_advisory_xact_lock_shared(${key(tables)})`);
  return readState(query, tables);
}

export async function holdIndex(query: Query, tables: ArchiveTables): Promise<ArchiveState> {
  await query(`SELECT pg_advisory_xact_lock(${key(tables)})`);
  return readState(query, tables);
}

export async function readState(query: Query, tables: ArchiveTables): Promise<ArchiveState> {
  const [state] = await query<ArchiveState>(
    `SELECT generation, building, building_version, built_to, version FROM ${tables.state}`,
  );
  return state ?? { generation: 1, building: null, building_version: null, built_to: null, version: null };
}

const key = ({ name }: ArchiveTables): string => `hashtextextended('lainclaw ${name} index', 0)`;
