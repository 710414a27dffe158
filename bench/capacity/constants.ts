// What the model of capacity rests on. "Measured" names the command; "assumed" is what a reader may replace by their own figure.

/** Assumed: turns that a user asks for in a day. */
export const TURNS_PER_USER_AND_DAY = 10;
/** Assumed: the busiest minutes of a day against its average. */
export const PEAK = 2.5;
/** Assumed: model calls of a turn, on average; their number is geometric. */
export const MODEL_CALLS = 2.5;
/** Assumed: seconds of a model call. Log-normal: half are shorter than the first, 95 % shorter than the second. */
export const MODEL_SECONDS = { half: 3, most: 12 };
/** Assumed: a company or a household has one tenant; sizes follow Zipf's law. */
export const TENANTS = 20_000;

/** Measured, `npm run bench -- gateway-turns`: processor time of a gateway for a turn with one model call. */
export const GATEWAY_SECONDS = 0.003;
/** Counted in a turn with one model call: its statements, each taken for a transaction. Assumed: those of a further call. */
export const TRANSACTIONS = { turn: 9, furtherCall: 3 };
/** Measured: small synced transactions that one core of the server makes in a second, with the client on the same two cores. */
export const TRANSACTIONS_PER_CORE = 1_800;
/** Assumed: cores of a database server, and that its throughput grows with them. */
export const DATABASE_CORES = 8;
/** `maxConcurrentTurns` as it would be set for this: turns that a gateway runs at once. */
export const TURNS_AT_ONCE = 64;
