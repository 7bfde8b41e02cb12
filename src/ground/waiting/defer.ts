/** Runs at the end of the block that holds it, however the block ends: `using _ = defer(() => closeSync(fd))`. */
export function defer(act: () => unknown): Disposable {
  return { [Symbol.dispose]: () => void act() };
}

/** The same for an act that is waited for: `await using _ = deferred(() => closeFile(descriptor))`. */
export function deferred(act: () => PromiseLike<unknown> | undefined): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      await act();
    },
  };
}
