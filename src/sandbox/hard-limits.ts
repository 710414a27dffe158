// The limits this process lives under itself. Nobody without privileges can give a command more than that: asking for it
// would fail, so a command gets the smaller of the two.

const NAMES = { cpu: 'Max cpu time', fsize: 'Max file size', data: 'Max data size', nproc: 'Max processes' } as const;

export type LimitName = keyof typeof NAMES;

/** From the text of /proc/self/limits; what it does not tell is unlimited. */
export function atMost(limits: string, name: LimitName, wanted: number): number {
  const hard = new RegExp(`^${NAMES[name]}\\s+\\S+\\s+(\\d+)`, 'm').exec(limits)?.[1];
  return hard === undefined ? wanted : Math.min(wanted, Number(hard));
}
