/** A chunk of this size is one of a flood. */
export const fairBytes = 16 * 1024;

/** Reads on after everybody else had a turn: Node reads up to 2 MiB of a stream at once, and a flood fills its buffers. */
export function giveWay(stream: { pause(): unknown }, resume: () => void): void {
  stream.pause();
  setImmediate(resume);
}
