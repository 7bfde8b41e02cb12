/** Passes chunks on until over `maxBytes`, then fails with `tooLarge()`. `isFresh`: the chunk ends a message. */
export function boundedStream(
  maxBytes: number,
  tooLarge: () => unknown,
  isFresh: (chunk: Uint8Array) => boolean = () => false,
): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes = isFresh(chunk) ? 0 : bytes + chunk.byteLength;
      if (bytes > maxBytes) controller.error(tooLarge());
      else controller.enqueue(chunk);
    },
  });
}
