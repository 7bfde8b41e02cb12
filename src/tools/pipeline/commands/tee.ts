import { text } from '../../../contract/text/text.ts';
import type { Grammar } from '../grammar.ts';
import { GuardViolation } from '../guard.ts';
import { rowsOf } from '../options.ts';

/** `… | tee FILE`, `… | tee -a FILE`: the only stage that writes, implemented by us. */
export const tee: Grammar = {
  command: 'tee',
  // -i makes a shell's tee ignore interrupts; ours gets none.
  rows: rowsOf('-a|--append -i|--ignore-interrupts'),
  plan({ operands, has }, { isFirst }) {
    const [target, ...more] = operands;
    const append = has('-a');
    const command = append ? 'tee -a' : 'tee';
    if (!target || more.length > 0 || /^-?$|\/$/.test(target.text))
      throw new GuardViolation(
        'TEE_TARGET',
        'tee takes exactly one file.',
        'tee に指定できるファイルは 1 つだけです。',
        [
          text(
            `Name one file, ${command} FILE; copy it in another call: tail -c +1 FILE | tee OTHER`,
            `ファイルを 1 つ指定してください (${command} FILE)。コピーするには別の呼び出しで tail -c +1 FILE | tee OTHER`,
          ),
        ],
      );
    if (isFirst)
      throw new GuardViolation(
        'TEE_TARGET',
        'tee has nothing to save, because it comes first.',
        'tee の前にステージがなく、保存するものがありません。',
        [
          text(
            `Write text of your own with shelpa_write({path: "${target.text}", content: …}).`,
            `自分の文章は shelpa_write({path: "${target.text}", content: …}) で書いてください。`,
          ),
        ],
      );
    return { kind: 'tee', target: target.text, append };
  },
};
