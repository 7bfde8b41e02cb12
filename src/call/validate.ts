import { ToolError } from '../contract/error.ts';
import { limits } from '../contract/limits.ts';
import { text } from '../contract/text/text.ts';
import { withoutClientArguments } from '../ground/client-arguments.ts';
import type { Paced, Validated } from './slips.ts';

/** Throws `invalid_parameter`, naming the argument. From here on the input matches the schema. */
export function validate(paced: Paced): Validated {
  const { properties, required } = paced.tool.inputSchema('en');
  const isOwn = (name: string) =>
    Object.hasOwn(Object(properties), name) || (Array.isArray(required) && required.includes(name));
  const checked = hasTooManyNames(paced.input)
    ? tooManyNames
    : paced.tool.check(withoutClientArguments(paced.input, isOwn));
  if (checked.ok) return { ...paced, input: checked.input } as unknown as Validated;
  const { field, message } = checked;
  const shown = field === '' ? text('The arguments', '引数') : text(field, field);
  throw new ToolError('invalid_parameter', `${shown.en} ${message.en}.`, `${shown.ja}は${message.ja}。`, {
    suggestion: text(
      `help({"tool_name": "${paced.tool.name}"}) shows the arguments with an example.`,
      `help({"tool_name": "${paced.tool.name}"}) で引数と例を確認できます。`,
    ),
    details: field === '' ? undefined : { field },
  });
}

/** Checked before the schema, which takes time for each name. */
function hasTooManyNames(input: unknown): boolean {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return false;
  let count = 0;
  for (const _ in input) if (++count > limits.argumentNames) return true;
  return false;
}

const tooManyNames = {
  ok: false,
  field: '',
  message: text(
    `must have at most ${limits.argumentNames} names`,
    `名前が ${limits.argumentNames} 個以内でなければなりません`,
  ),
} as const;
