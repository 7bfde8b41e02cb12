/** Something that is opened at the first need, once, and closed only if it was. A failed opening is tried again. */
export interface Once<T> {
  (): Promise<T>;
  readonly opened: () => Promise<T> | undefined;
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
  return Object.assign(get, { opened: () => made });
}
