import { Buffer } from 'node:buffer';

/**
 * How to write a text as UTF-8. For one without any other character than ASCII the two are the same bytes, and a
 * third of the memory: Node sets three bytes a character aside for what may become UTF-8.
 */
export function encodingOf(text: string, bytes: number = Buffer.byteLength(text)): 'latin1' | 'utf8' {
  return bytes === text.length ? 'latin1' : 'utf8';
}
