import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import type { Paced, Validated } from './slips.ts';

/** Throws `invalid_parameter`, naming the argument. From here on the input is what the schema says. */
export function validate(paced: Paced): Validated {
  const checked = paced.tool.check(paced.input);
  if (checked.ok) return { ...paced, input: checked.input } as unknown as Validated;
  const { field, message } = checked;
  const shown = field === '' ? text('The arguments', '引数') : text(field, field);
  throw new ToolError(
    'invalid_parameter',
    text(`${shown.en} ${message.en}.`, `${shown.ja}は${message.ja}。`),
    {
      suggestion: text(
        `help({"tool_name": "${paced.tool.name}"}) shows the arguments with an example.`,
        `help({"tool_name": "${paced.tool.name}"}) で引数と例を確認できます。`,
      ),
      details: field === '' ? undefined : { field },
    },
  );
}
