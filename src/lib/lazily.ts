/** A value that is made once, on first use. */
export interface Lazy<T> {
  (): Promise<T>;
  /** Undefined before the first use. */
  made(): Promise<T> | undefined;
}

export function lazily<T>(make: () => Promise<T>): Lazy<T> {
  let made: Promise<T> | undefined;
  const get = (): Promise<T> => {
    made ??= make();
    return made;
  };
  return Object.assign(get, { made: () => made });
}
