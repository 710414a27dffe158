/** "1 file", "2 files"; `several` where an "s" at the end is not the plural, or where a verb follows. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}
