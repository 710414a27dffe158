/** A value that is made when it is first asked for, once. */
export interface Lazy<T> {
  (): Promise<T>;
  /** Undefined while nobody has asked for it. */
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
