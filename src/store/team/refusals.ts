import { ToolError, type ToolErrorOptions } from '../../contract/error.ts';
import { type Said, type Text, text } from '../../contract/text/text.ts';

/** The session ended between the check of its token and its work. */
export function noSession(): ToolError {
  return new ToolError(
    'unauthenticated',
    'The session has ended.',
    'セッションは終了しています。',
    text("Call 'authenticate' again.", "'authenticate' をもう一度呼んでください。"),
  );
}

/** Something that does not exist or is in another project; the error does not say which. */
export function unknown(kind: Text, id: string): ToolError {
  const shown = JSON.stringify(id.slice(0, 80));
  return new ToolError(
    'not_found',
    `There is no ${kind.en} ${shown} in this project.`,
    `このプロジェクトに${kind.ja} ${shown} はありません。`,
  );
}

/** The same for the program that starts agents, which is in no project. */
export function unknownAnywhere(kind: Text, id: string): ToolError {
  const shown = JSON.stringify(id.slice(0, 80));
  return new ToolError('not_found', `There is no ${kind.en} ${shown}.`, `${kind.ja} ${shown} はありません。`);
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

export function forbidden(...said: Said<Text>): ToolError {
  return new ToolError('forbidden', ...said);
}

export function conflict(...said: Said<Text | ToolErrorOptions>): ToolError {
  return new ToolError('conflict', ...said);
}

export function invalid(field: string, must: Text): ToolError {
  return new ToolError('invalid_parameter', `${field} ${must.en}.`, `${field}は${must.ja}。`, {
    details: { field },
  });
}
