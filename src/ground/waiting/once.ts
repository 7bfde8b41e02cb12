/** Something that is opened on first use, once, and closed only if it was opened. A failed opening is retried. */
export interface Once<T> {
  (): Promise<T>;
  /** The opened value, if any; undefined if opening failed, which the opener already knows. */
  readonly opened: () => Promise<T | undefined> | undefined;
}

/** Creates a value at the first call and returns the same one from then on. */
export function once<T>(make: () => Promise<T> | T): Once<T> {
  let made: Promise<T> | undefined;
  const get = (): Promise<T> => {
    if (!made) {
      const making = Promise.resolve().then(make);
      made = making;
      making.catch(() => {
        if (made === making) made = undefined;
      });
    }
    return made;
  };
  // The opener gets the failure.
  return Object.assign(get, { opened: () => made?.catch(() => undefined) });
}

/** The same for a value that takes no waiting. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
