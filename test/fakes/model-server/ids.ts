/**
 * Makes ids in the services' own style (`call_…`, `resp_…`). Their length never changes, so a rendered stream has the
 * same number of bytes every time; the seed keeps two servers of one test from ever making the same id.
 */
export type Ids = (prefix: string) => string;

const LENGTH = 24;

export function createIds(seed: string): Ids {
  let count = 0;
  return (prefix) => {
    count += 1;
    return prefix + seed + count.toString(36).padStart(LENGTH - seed.length, '0');
  };
}
