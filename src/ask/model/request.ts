import * as z from 'zod';
import { ToolError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';

const maxMessageChars = 1_000_000;

const shape = z.strictObject({
  message: z
    .string()
    .max(maxMessageChars)
    .refine((words) => words.trim() !== ''),
  session: z.string().min(1).max(100).optional(),
  model: z.string().min(1).max(200).optional(),
  /** Refuse at once whatever would need a person's approval. */
  headless: z.boolean().default(false),
  /** Include the model's thoughts. */
  reasoning: z.boolean().default(false),
});

/** The body of `POST /ask`. */
export type AskRequest = z.output<typeof shape>;

/** Throws `invalid_parameter`, naming the field. */
export function readRequest(input: unknown): AskRequest {
  const read = shape.safeParse(input);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = String(issue?.path[0] ?? '');
  const wanted = fields.get(field);
  if (wanted) throw refused(wanted, { field });
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0]?.slice(0, 80) : undefined;
  throw refused(unknown === undefined ? notAnObject : unknownField(unknown), {});
}

const fields = new Map<string, Text>([
  [
    'message',
    text(
      `message must be text of 1 to ${maxMessageChars} characters.`,
      `message は 1～${maxMessageChars} 文字の文字列にしてください。`,
    ),
  ],
  [
    'session',
    text('session must be the id from an earlier answer.', 'session は以前の応答の ID にしてください。'),
  ],
  ['model', text("model must be a model's name.", 'model はモデルの名前にしてください。')],
  ['headless', text('headless must be true or false.', 'headless は true か false にしてください。')],
  ['reasoning', text('reasoning must be true or false.', 'reasoning は true か false にしてください。')],
]);

const notAnObject = text('The body must be a JSON object.', '本文は JSON オブジェクトにしてください。');

function unknownField(name: string): Text {
  const shown = JSON.stringify(name);
  return text(`There is no field ${shown}.`, `${shown} という項目はありません。`);
}

function refused(message: Text, details: Readonly<Record<string, unknown>>): ToolError {
  return new ToolError('invalid_parameter', message, {
    suggestion: text(
      'Send e.g. {"message": "What does notes.txt say?"}.',
      '例: {"message": "notes.txt には何と書いてありますか"}',
    ),
    details,
  });
}
