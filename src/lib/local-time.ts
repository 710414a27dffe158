/** As the clock of the reader shows it. */
export function localTime(time: number | string): string {
  const at = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${at.toTimeString().slice(0, 8)}`;
}
