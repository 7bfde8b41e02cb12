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

/** All bytes of a stream; undefined, and the stream is ended, if they are more than that. */
export async function wholeOf(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.byteLength;
    if (bytes > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
