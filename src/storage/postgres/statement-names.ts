// Names for prepared statements. A text that is sent for the second time gets one, and each connection then prepares it once. There are few texts: they are
// written in the code, and values are parameters.

export interface StatementNames {
  /** Undefined: the text is sent as it is. */
  of(text: string): string | undefined;
}

/**
 * Begins a statement whose plan must fit its values, such as the scopes of a reader: it is not prepared, because PostgreSQL then makes one plan for all values as
 * soon as that looks cheaper.
 */
export const PLANNED_EACH_TIME = '/* planned each time */ ';

/** A program that makes texts from data keeps the memory of a server bounded all the same. */
const MOST = 500;

export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  const seen = new Set<string>();
  return {
    of(text) {
      const known = names.get(text);
      if (known !== undefined) return known;
      if (names.size >= MOST || text.startsWith(PLANNED_EACH_TIME)) return undefined;
      if (!seen.delete(text)) {
        if (seen.size < MOST) seen.add(text);
        return undefined;
      }
      const name = `lainclaw_${names.size + 1}`;
      names.set(text, name);
      return name;
    },
  };
}
