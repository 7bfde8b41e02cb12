import { createTwoFilesPatch } from 'diff';
import { cleanText } from '../../contract/text/clean-text.ts';
import { text } from '../../contract/text/text.ts';
import { agrees } from '../common/agrees.ts';
import { say } from '../common/say.ts';

interface Change {
  readonly file: string;
  /** Undefined if the file does not exist. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Shows the change and, at a terminal, asks: nothing is written on any answer but yes. */
export async function showChange({ file, before, after }: Change, isAgreed: boolean): Promise<boolean> {
  const name = (words: string | undefined) => (words === undefined ? '/dev/null' : file);
  say(cleanText(createTwoFilesPatch(name(before), name(after), before ?? '', after ?? '').trimEnd()));
  if (isAgreed || !process.stdin.isTTY) return true;
  if (await agrees(write)) return true;
  say('Nothing was written.', '何も書きませんでした。');
  return false;
}

const write = text('Write this? [y/N] ', 'この内容で書き込みますか。[y/N] ');
