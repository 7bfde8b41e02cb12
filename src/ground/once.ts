/** Something that is opened at the first need, once, and closed only if it was. A failed opening is tried again. */
export interface Once<T> {
  (): Promise<T>;
  /** What was opened so far; nothing where that failed, which whoever opened it was told. */
  readonly opened: () => Promise<T | undefined> | undefined;
}

/** Makes a value at the first call and hands out the same one from then on. */
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
  // As promised above.
  return Object.assign(get, { opened: () => made?.catch(() => undefined) });
}
