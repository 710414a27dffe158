// Loads of one thing that overlap: an answer that comes after that of a later load is older, and is dropped.

/** Returns what loads; it resolves when something at least as new is shown, and rejects when its own load fails. */
export function newestOf<Value>(load: () => Promise<Value>, show: (value: Value) => void): () => Promise<void> {
  let begun = 0;
  let shown = 0;
  return async () => {
    begun += 1;
    const own = begun;
    const value = await load();
    if (own < shown) return;
    shown = own;
    show(value);
  };
}
