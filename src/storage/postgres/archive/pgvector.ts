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
const LEAST_VERSION = [0, 7];
const FILLED_AT_ONCE = 500;
/** How long a server without pgvector is not asked again. */
const ASKED_AGAIN_MS = 60_000;
const MOST_CONSIDERED = 1_000;
const VECTORS = 'lainclaw.archive_vectors';

export type VectorSupport =
  /** Vectors are found with an index of pgvector. */
  | 'pgvector'
  /** The server has pgvector, and the tables do not use it yet. */
  | 'available'
  | 'none';

export async function vectorSupport(query: Query): Promise<VectorSupport> {
  if ((await schemaOf(query)) !== undefined) return 'pgvector';
  return (await isAvailable(query)) ? 'available' : 'none';
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
  while ((await fillSome(query)) > 0);
  const models = await query<{ dimension: number }>('SELECT dimension FROM lainclaw.archive_models');
  for (const dimension of new Set([...DIMENSIONS, ...models.map((model) => model.dimension)])) {
    if (dimension > MOST_DIMENSIONS) continue;
    const index = `CREATE INDEX IF NOT EXISTS archive_vectors_${dimension} ON ${VECTORS}
      USING hnsw ((embedding::${schema}.halfvec(${dimension})) ${schema}.halfvec_cosine_ops) WHERE octet_length(vector) = ${dimension}`;
    await transaction((inside) => inside(index), { isLong: true });
  }
}

async function isAvailable(query: Query): Promise<boolean> {
  const [found] = await query<{ version: string }>(
    `SELECT coalesce(installed_version, default_version) AS version FROM pg_available_extensions WHERE name = 'vector'`,
  );
  const [major = 0, minor = 0] = (found?.version ?? '').split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = LEAST_VERSION;
  return found !== undefined && (major > leastMajor || (major === leastMajor && minor >= leastMinor));
}

async function extensionSchema(query: Query): Promise<string | undefined> {
  const [row] = await query<{ schema: string }>(
    `SELECT quote_ident(n.nspname) AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'`,
  );
  return row?.schema;
}

/** Where the type of the column is; undefined where there is no such column. */
async function schemaOf(query: Query): Promise<string | undefined> {
  const [row] = await query<{ schema: string }>(
    `SELECT quote_ident(n.nspname) AS schema FROM pg_attribute a
     JOIN pg_type t ON t.oid = a.atttypid JOIN pg_namespace n ON n.oid = t.typnamespace
     WHERE a.attrelid = to_regclass('${VECTORS}') AND a.attname = 'embedding' AND NOT a.attisdropped`,
  );
  return row?.schema;
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

/** Of vectors from before. Returns how many. */
async function fillSome(query: Query): Promise<number> {
  const [row] = await query<{ count: number }>(
    `WITH filled AS (
       UPDATE ${VECTORS} v SET embedding = lainclaw.halfvec_of(v.vector)
       FROM (SELECT model, chunk FROM ${VECTORS} WHERE embedding IS NULL LIMIT ${FILLED_AT_ONCE}) missing
       WHERE v.model = missing.model AND v.chunk = missing.chunk RETURNING 1
     ) SELECT count(*) AS count FROM filled`,
  );
  return Number(row?.count ?? 0);
}

/** Undefined where pgvector is not in use. A reader of some scopes has few vectors, which are compared one by one. */
export function createNearWithPgvector({ query, transaction }: PostgresDatabase): ChooseNear {
  let schema: string | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  return async ({ key, dimension }, vector, { reader, limit }) => {
    if (reader.sees !== 'everything') return undefined;
    if (schema === undefined && performance.now() - askedAt > ASKED_AGAIN_MS) {
      schema = await schemaOf(query);
      askedAt = performance.now();
    }
    if (schema === undefined) return undefined;
    const type = `${schema}.halfvec(${dimension})`;
    const rows = await transaction(async (inside) => {
      await inside(`SET LOCAL hnsw.ef_search = ${Math.min(limit, MOST_CONSIDERED)}`);
      return inside<{ chunk: number }>(
        `SELECT v.chunk FROM ${VECTORS} v WHERE v.model = $1 AND octet_length(v.vector) = ${dimension} AND ${isVisible('v', 2)}
         ORDER BY v.embedding::${type} OPERATOR(${schema}.<=>) $3::${type} LIMIT $4`,
        [key, scopesOf(reader), `[${vector.join(',')}]`, limit],
      );
    });
    return rows.map(({ chunk }) => chunk);
  };
}
