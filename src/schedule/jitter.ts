/** The delay of a job after its slot: the same for the same slot, spread evenly over slots and names. */
export function jitterOf(name: string, slot: number, jitterMs: number): number {
  if (jitterMs <= 0) return 0;
  let hash = 0x811c9dc5;
  for (const character of `${name}\n${slot}`) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  // Without this, the last bits of the last character would decide alone.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) % (jitterMs + 1);
}
