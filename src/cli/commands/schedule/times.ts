/** A moment as a person in that zone reads it: 2026-12-01 09:00:00 Europe/Berlin. */
export function localTime(at: number, timezone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return `${format.format(at)} ${timezone}`;
}
