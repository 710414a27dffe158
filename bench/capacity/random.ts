// Numbers that are the same in every run with the same seed, and what is drawn with them.

/** Evenly between 0 and 1, 1 excluded (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Log-normal: half of what is drawn is less than `half`, 95 % is less than `most`. */
export function logNormal({ half, most }: { half: number; most: number }, random: () => number): () => number {
  const spread = Math.log(most / half) / 1.6449;
  return () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return half * Math.exp(spread * normal);
  };
}

/** The database of the tenant that asks next: tenants have sizes by Zipf's law and lie on databases at random. */
export function tenantDatabases(tenants: number, databases: number, random: () => number): () => number {
  const upTo = new Float64Array(tenants);
  let total = 0;
  for (let tenant = 0; tenant < tenants; tenant += 1) {
    total += 1 / (tenant + 1);
    upTo[tenant] = total;
  }
  const databaseOf = Uint16Array.from({ length: tenants }, () => Math.floor(random() * databases));
  return () => {
    const drawn = random() * total;
    let [low, high] = [0, tenants - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((upTo[middle] ?? 0) < drawn) low = middle + 1;
      else high = middle;
    }
    return databaseOf[low] ?? 0;
  };
}
