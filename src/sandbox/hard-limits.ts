// The limits of this process itself. Without privileges a command cannot get more: asking for more would fail, so a command
// gets the smaller of the two.

const NAMES = { cpu: 'Max cpu time', fsize: 'Max file size', data: 'Max data size', nproc: 'Max processes' } as const;

export type LimitName = keyof typeof NAMES;

/** `limits` is the text of /proc/self/limits; a limit that it does not name is unlimited. */
export function atMost(limits: string, name: LimitName, wanted: number): number {
  const hard = new RegExp(`^${NAMES[name]}\\s+\\S+\\s+(\\d+)`, 'm').exec(limits)?.[1];
  return hard === undefined ? wanted : Math.min(wanted, Number(hard));
}
