import * as z from 'zod';
import { limits } from '../../../contract/limits.ts';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { inputRule } from '../../../contract/tool/input-rule.ts';
import { backgroundOf, processIdInput, stateOf, stateOutput } from './background.ts';
import { dialectOf, scriptOf } from './bash.ts';

export const bashInput = defineTool({
  name: 'bash_input',
  category: 'shell',
  title: text('Write to a background command', 'バックグラウンドへ入力'),
  description: text(
    "Write to a background command's standard input.",
    'バックグラウンドのコマンドの標準入力に書き込みます。',
  ),
  permission: 'authenticated',
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  uses: ['desk', 'commands'],
  input: z.object({
    process_id: processIdInput.describe('From bash.'),
    text: z
      .string()
      .min(1)
      .refine(
        (words) => Buffer.byteLength(words) <= limits.commandBytes,
        inputRule(
          text(
            `must be at most ${limits.commandBytes} bytes`,
            `${limits.commandBytes} バイト以下でなければなりません`,
          ),
        ),
      )
      .describe('e.g. "yes\\n"; "\\u0003": Ctrl-C.'),
  }),
  output: z.object({ ...stateOutput }),
  ja: { process_id: 'bash が返した ID。', text: '例: "yes\\n"。"\\u0003" は Ctrl-C。' },
  example: { process_id: 'bg_1', text: 'yes\n' },
  // Input for a shell is a command like any other; for other programs it is data.
  risk: ({ process_id, text: words }, { desk, commands }) => {
    if (words === interrupt) return {};
    const running = commands.background(process_id)?.command ?? '';
    if (!shell.test(running)) return {};
    const line = scriptOf(words, otherShell.test(running) ? 'sh' : commands.shell);
    return { command: { line, dialect: dialectOf(desk) } };
  },
  render: ({ running }, locale) =>
    running
      ? text('Written.', '書き込みました。')[locale]
      : text('Written, but it has ended.', '書き込みましたが、既に終了しています。')[locale],

  async run({ process_id, text: words }, { commands, signal, audit }) {
    const command = backgroundOf(commands, process_id);
    if (words === interrupt) {
      command.interrupt();
      // Most programs end soon after it; the reply waits a moment to report that.
      await command.wait(1000, signal);
    } else await command.write(words);
    audit({ process: process_id, bytes: Buffer.byteLength(words) });
    return stateOf(command);
  },
});

/** Ctrl-C, as a terminal takes it; a pipe would pass it on as a byte. */
const interrupt = '\u0003';

/** Shells other than bash: input that they and bash read differently is refused. */
const otherShell = /(?:^|[^\w.-])(?:da|z|k|mk|c|tc|a|fi)?sh(?:$|[^\w-])/;
const shell = /(?:^|[^\w-])(?:ba|da|z|k|mk|c|tc|a|fi)?sh(?:$|[^\w-])/;
