// The newest ids of something that happens without end: the oldest is dropped once there are too many.

export interface NewestIds {
  add(id: string): void;
  has(id: string): boolean;
}

export function newestIds(most: number): NewestIds {
  const ids = new Set<string>();
  return {
    add(id) {
      ids.add(id);
      const [oldest] = ids;
      if (ids.size > most && oldest !== undefined) ids.delete(oldest);
    },
    has: (id) => ids.has(id),
  };
}
