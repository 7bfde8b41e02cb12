import { ToolError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';

/** The session ended between the check of its token and its work. */
export function noSession(): ToolError {
  return new ToolError('unauthenticated', text('The session has ended.', 'セッションは終了しています。'), {
    suggestion: text("Call 'authenticate' again.", "'authenticate' をもう一度呼んでください。"),
  });
}

/** Something that does not exist or is in another project; the error does not say which. */
export function unknown(kind: Text, id: string): ToolError {
  const shown = JSON.stringify(id.slice(0, 80));
  return new ToolError(
    'not_found',
    text(
      `There is no ${kind.en} ${shown} in this project.`,
      `このプロジェクトに${kind.ja} ${shown} はありません。`,
    ),
  );
}

/** The same for the program that starts agents, which is in no project. */
export function unknownAnywhere(kind: Text, id: string): ToolError {
  const shown = JSON.stringify(id.slice(0, 80));
  return new ToolError(
    'not_found',
    text(`There is no ${kind.en} ${shown}.`, `${kind.ja} ${shown} はありません。`),
  );
}

export const kinds = {
  task: text('task', 'タスク'),
  agent: text('agent', 'エージェント'),
  conversation: text('conversation', '会話'),
  delegation: text('delegation', '委任'),
  request: text('request', '依頼'),
  execution: text('execution', '実行記録'),
  session: text('session', 'セッション'),
  project: text('project', 'プロジェクト'),
} as const;

export function forbidden(words: Text, suggestion?: Text): ToolError {
  return new ToolError('forbidden', words, { suggestion });
}

export function conflict(words: Text, suggestion?: Text, details?: Record<string, unknown>): ToolError {
  return new ToolError('conflict', words, { suggestion, details });
}

export function invalid(field: string, must: Text): ToolError {
  return new ToolError('invalid_parameter', text(`${field} ${must.en}.`, `${field}は${must.ja}。`), {
    details: { field },
  });
}
