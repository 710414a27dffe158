/** The calendar day (`2026-12-01`) in the system's timezone, not UTC. */
export function localDay(moment: number): string {
  const date = new Date(moment);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
