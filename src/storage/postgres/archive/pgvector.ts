// Vectors with pgvector, where the server has it. The bytes of each vector stay what they are; beside them the database keeps the same numbers as `halfvec` (a
// trigger makes them, so that gateways of every version do) with HNSW indexes that find the nearest ones. `store init` and `store migrate` set it up, because
// the role that gateways use can make neither columns nor indexes.
import type { PostgresDatabase, Query } from '../database.ts';
import type { ChooseNear } from './vectors.ts';
import { isVisible, scopesOf } from './visible.ts';

/** Of models that people use; others get their index with the next migration. */
const DIMENSIONS = [256, 384, 512, 768, 1024, 1536];
/** What an index of pgvector can have. */
const MOST_DIMENSIONS = 4_000;
const LEAST_VERSION = [0, 7] as const;
const CONTINUES_SINCE = [0, 8] as const;
const FILLED_AT_ONCE = 500;
/** How long a server without pgvector is not asked again. */
const ASKED_AGAIN_MS = 60_000;
const MOST_CONSIDERED = 1_000;
const VECTORS = 'lainclaw.archive_vectors';

export type VectorSupport =
  /** Vectors are found with an index of pgvector. */
  | 'pgvector'
  /** The server has pgvector, and the tables do not use it yet, or not for the model that is used. */
  | 'available'
  | 'none';

export async function vectorSupport(query: Query): Promise<VectorSupport> {
  if (!(await isAvailable(query))) return 'none';
  const models = await query<{ dimension: number }>('SELECT dimension FROM lainclaw.archive_models');
  const dimensions = models.length > 0 ? models.map(({ dimension }) => dimension) : DIMENSIONS;
  for (const dimension of new Set(dimensions)) if (!(await findIndex(query, dimension))) return 'available';
  return 'pgvector';
}

/** With the role that owns the tables. Running it again changes nothing; a server that refuses the extension is left without. */
export async function setUpVectors(database: PostgresDatabase): Promise<void> {
  const { query, transaction } = database;
  if (!(await isAvailable(query))) return;
  try {
    await query('CREATE EXTENSION IF NOT EXISTS vector SCHEMA lainclaw');
  } catch {
    // Only a superuser may add it on some servers: `store status` says that it is available.
    return;
  }
  const schema = await extensionSchema(query);
  if (schema === undefined) return;
  await transaction((inside) => addColumn(inside, schema), { isLong: true });
  for (let after: VectorKey | undefined = { model: 0, chunk: 0 }; after; after = await fillSome(query, after));
  const models = await query<{ dimension: number }>('SELECT dimension FROM lainclaw.archive_models');
  for (const dimension of new Set([...DIMENSIONS, ...models.map((model) => model.dimension)])) {
    if (dimension > MOST_DIMENSIONS) continue;
    const index = `CREATE INDEX IF NOT EXISTS ${indexName(dimension)} ON ${VECTORS}
      USING hnsw ((embedding::${schema}.halfvec(${dimension})) ${schema}.halfvec_cosine_ops) WHERE octet_length(vector) = ${dimension}`;
    await transaction((inside) => inside(index), { isLong: true });
  }
}

async function isAvailable(query: Query): Promise<boolean> {
  const [found] = await query<{ version: string }>(
    `SELECT coalesce(installed_version, default_version) AS version FROM pg_available_extensions WHERE name = 'vector'`,
  );
  return found !== undefined && isAtLeast(found.version, LEAST_VERSION);
}

function isAtLeast(version: string, [leastMajor, leastMinor]: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

async function extensionSchema(query: Query): Promise<string | undefined> {
  const [row] = await query<{ schema: string }>(
    `SELECT quote_ident(n.nspname) AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'`,
  );
  return row?.schema;
}

const indexName = (dimension: number): string => `archive_vectors_${dimension}`;

interface VectorIndex {
  /** Where the type of the column is. */
  schema: string;
  /** Whether a scan of the index continues until enough rows pass the other conditions: pgvector 0.8 and later. */
  continues: boolean;
}

/** Undefined where there is no index that can be used: it is made when every vector has its column. */
async function findIndex(query: Query, dimension: number): Promise<VectorIndex | undefined> {
  const [row] = await query<{ schema: string; version: string }>(
    `SELECT quote_ident(n.nspname) AS schema, e.extversion AS version FROM pg_index i
     JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attname = 'embedding' AND NOT a.attisdropped
     JOIN pg_type t ON t.oid = a.atttypid JOIN pg_namespace n ON n.oid = t.typnamespace
     JOIN pg_extension e ON e.extname = 'vector'
     WHERE i.indrelid = to_regclass('${VECTORS}') AND i.indexrelid = to_regclass('lainclaw.' || $1) AND i.indisvalid`,
    [indexName(dimension)],
  );
  return row && { schema: row.schema, continues: isAtLeast(row.version, CONTINUES_SINCE) };
}

async function addColumn(query: Query, schema: string): Promise<void> {
  await query(`ALTER TABLE ${VECTORS} ADD COLUMN IF NOT EXISTS embedding ${schema}.halfvec`);
  await query(`
    CREATE OR REPLACE FUNCTION lainclaw.halfvec_of(bytes bytea) RETURNS ${schema}.halfvec LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $body$
      SELECT ('[' || string_agg((((get_byte(bytes, place) + 128) % 256) - 128)::text, ',' ORDER BY place) || ']')::${schema}.halfvec
      FROM generate_series(0, length(bytes) - 1) AS place
    $body$`);
  await query(`
    CREATE OR REPLACE FUNCTION lainclaw.set_embedding() RETURNS trigger LANGUAGE plpgsql AS $body$
      BEGIN NEW.embedding := lainclaw.halfvec_of(NEW.vector); RETURN NEW; END
    $body$`);
  await query(`DROP TRIGGER IF EXISTS set_embedding ON ${VECTORS}`);
  await query(
    `CREATE TRIGGER set_embedding BEFORE INSERT ON ${VECTORS} FOR EACH ROW EXECUTE FUNCTION lainclaw.set_embedding()`,
  );
}

interface VectorKey {
  model: number;
  chunk: number;
}

/** Of vectors from before, in the order of their keys. Returns the last one; undefined at the end. */
async function fillSome(query: Query, { model, chunk }: VectorKey): Promise<VectorKey | undefined> {
  const rows = await query<VectorKey>(
    `WITH page AS MATERIALIZED (
       SELECT model, chunk FROM ${VECTORS} WHERE (model, chunk) > ($1::integer, $2::bigint) ORDER BY model, chunk LIMIT ${FILLED_AT_ONCE}
     ), filled AS (
       UPDATE ${VECTORS} v SET embedding = lainclaw.halfvec_of(v.vector) FROM page
       WHERE v.model = page.model AND v.chunk = page.chunk AND v.embedding IS NULL
     )
     SELECT model, chunk FROM page ORDER BY model DESC, chunk DESC LIMIT 1`,
    [model, chunk],
  );
  return rows[0];
}

export interface NearWithPgvector {
  /** Undefined where pgvector is not in use. A reader of some scopes has few vectors, which are compared one by one. */
  choose: ChooseNear;
  /** Whether vectors of this length are found with an index. */
  isUsed(dimension: number): Promise<boolean>;
}

export function createNearWithPgvector({
  query,
  transaction,
}: Pick<PostgresDatabase, 'query' | 'transaction'>): NearWithPgvector {
  const known = new Map<number, { index: VectorIndex | undefined; askedAt: number }>();

  /** An index that was there stays; one that was missing is looked for again after a while. */
  async function indexOf(dimension: number): Promise<VectorIndex | undefined> {
    const before = known.get(dimension);
    if (before && (before.index || performance.now() - before.askedAt < ASKED_AGAIN_MS)) return before.index;
    const index = await findIndex(query, dimension);
    known.set(dimension, { index, askedAt: performance.now() });
    return index;
  }

  return {
    isUsed: async (dimension) => (await indexOf(dimension)) !== undefined,
    async choose({ key, dimension }, vector, { reader, limit }) {
      const index = reader.sees === 'everything' ? await indexOf(dimension) : undefined;
      if (index === undefined) return undefined;
      const { schema, continues } = index;
      const type = `${schema}.halfvec(${dimension})`;
      const rows = await transaction(async (inside) => {
        await inside(`SET LOCAL hnsw.ef_search = ${Math.min(limit, MOST_CONSIDERED)}`);
        // Vectors of another model may be nearer.
        if (continues) await inside('SET LOCAL hnsw.iterative_scan = strict_order');
        return inside<{ chunk: number }>(
          `SELECT v.chunk FROM ${VECTORS} v WHERE v.model = $1 AND octet_length(v.vector) = ${dimension} AND ${isVisible('v', 2)}
           ORDER BY v.embedding::${type} OPERATOR(${schema}.<=>) $3::${type} LIMIT $4`,
          [key, scopesOf(reader), `[${vector.join(',')}]`, limit],
        );
      });
      return rows.map(({ chunk }) => chunk);
    },
  };
}
