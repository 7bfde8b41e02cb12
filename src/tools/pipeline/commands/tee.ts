import { text } from '../../../contract/text/text.ts';
import type { Grammar } from '../grammar.ts';
import { GuardViolation } from '../guard.ts';

/** `… | tee FILE`, `… | tee -a FILE`: the only stage that writes, implemented by us. */
export const tee: Grammar = {
  command: 'tee',
  rows: [
    { flags: ['-a', '--append'] },
    // Makes a shell's tee ignore interrupts; ours gets none.
    { flags: ['-i', '--ignore-interrupts'] },
  ],
  plan({ options, operands }, { isFirst }) {
    const [target, ...more] = operands;
    const append = options.some(({ row }) => row.flags[0] === '-a');
    const command = append ? 'tee -a' : 'tee';
    if (
      !target ||
      more.length > 0 ||
      target.text === '' ||
      target.text === '-' ||
      target.text.endsWith('/')
    ) {
      throw new GuardViolation(
        'TEE_TARGET',
        text('tee takes exactly one file.', 'tee に指定できるファイルは 1 つだけです。'),
        [
          {
            words: text(
              `Name one file, ${command} FILE; copy it in another call: tail -c +1 FILE | tee OTHER`,
              `ファイルを 1 つ指定してください (${command} FILE)。コピーするには別の呼び出しで tail -c +1 FILE | tee OTHER`,
            ),
          },
        ],
      );
    }
    if (isFirst) {
      throw new GuardViolation(
        'TEE_TARGET',
        text(
          'tee has nothing to save, because it comes first.',
          'tee の前にステージがなく、保存するものがありません。',
        ),
        [
          {
            words: text(
              `Write text of your own with shelpa_write({path: "${target.text}", content: …}).`,
              `自分の文章は shelpa_write({path: "${target.text}", content: …}) で書いてください。`,
            ),
          },
        ],
      );
    }
    return { kind: 'tee', target: target.text, append };
  },
};
