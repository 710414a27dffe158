// The advisory lock of a connection, which the server frees when the connection ends (presence.ts).

/** Set apart from other advisory locks of the database. */
const PRESENCE_CLASS = 1_818_323_310;
export const LARGEST_KEY = 2 ** 31 - 1;

export const HOLD_KEY = `SELECT pg_try_advisory_lock(${PRESENCE_CLASS}, $1) AS "isHeld"`;

/** The keys of the connections that are open. */
export const PRESENT = `
  SELECT objid::bigint AS key FROM pg_locks
  WHERE locktype = 'advisory' AND classid = ${PRESENCE_CLASS} AND objsubid = 2 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
