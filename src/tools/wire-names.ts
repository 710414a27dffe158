// Names on a provider's wire are letters, digits, _ and -, at most 64: our dots become underscores, what then collides
// gets a number, and the model's replies are mapped back.
const LONGEST = 64;

export interface WireNames {
  toWire(name: string): string;
  /** A name we never gave out comes back as it is: the executor will not find it. */
  fromWire(wireName: string): string;
}

export function createWireNames(names: readonly string[]): WireNames {
  const wire = new Map<string, string>();
  const original = new Map<string, string>();
  // Names that are legal as they are keep themselves; the others make room.
  const byNeed = [...new Set(names)].sort((a, b) => Number(a !== legal(a)) - Number(b !== legal(b)));
  for (const name of byNeed) {
    let candidate = legal(name);
    for (let number = 2; original.has(candidate); number += 1) {
      const suffix = `_${number}`;
      candidate = legal(name).slice(0, LONGEST - suffix.length) + suffix;
    }
    wire.set(name, candidate);
    original.set(candidate, name);
  }
  return {
    toWire: (name) => wire.get(name) ?? legal(name),
    fromWire: (wireName) => original.get(wireName) ?? wireName,
  };
}

function legal(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST) || '_';
}
