/** What a service wants back with the next request although the protocol, as the library speaks it, has no place for it. */
export interface Echoes {
  /** Called with every event of an answer. Must not throw, whatever it holds. */
  note(event: unknown): void;
  /** What was noted of these calls, to be kept with the answer for other processes; undefined when there is nothing. Bounded. */
  kept(callIds: readonly string[]): unknown;
  /** Takes back what was kept with an earlier answer. Must not throw, whatever it holds. */
  restore(kept: unknown): void;
  /** The request with what was noted added to it. */
  addTo(payload: unknown): unknown;
}
