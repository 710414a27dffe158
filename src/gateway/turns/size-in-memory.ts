/** About how many bytes a value of plain data takes: enough to bound what is kept, without serialising it. */
export function sizeInMemory(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return 24 + value.length;
    case 'object': {
      if (value === null) return 8;
      let size = 32;
      for (const each of Object.values(value)) size += 16 + sizeInMemory(each);
      return size;
    }
    default:
      return 8;
  }
}
