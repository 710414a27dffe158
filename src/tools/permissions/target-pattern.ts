/** A pattern on a text that has one exact spelling: the address of a page, the name of a chat. */
export interface TargetPattern {
  /** For an allow rule: exactly what the pattern describes. */
  allows(target: string): boolean;
  /** For a deny or ask rule: also what only looks like it. */
  touches(target: string): boolean;
}
