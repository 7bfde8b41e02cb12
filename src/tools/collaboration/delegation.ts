import { text } from '../../contract/text/text.ts';
import { changes, reads, teamTools } from './team-tool.ts';

/** A task session's errands for the chat session of its agent. */
export const delegationTools = teamTools(
  { category: 'delegation', permission: 'task_only', annotations: reads },
  {
    delegate: {
      name: 'delegate_to_chat_session',
      title: text('Delegate a talk', '会話の委任'),
      description: text(
        'Let your chat session talk to an agent about this task; get_task_conversations has the result.',
        'このタスクについての会話をチャットセッションに任せます。結果は get_task_conversations で得られます。',
      ),
      annotations: changes,
      ja: {
        target_agent_id: 'エージェント。例: "worker-1"。',
        purpose: '目的。例: "スキーマは確定か"。',
        context: '背景。例: "金曜に出荷"。',
      },
      example: { target_agent_id: 'worker-2', purpose: 'Is the schema final?' },
    },
    taskConversations: {
      name: 'get_task_conversations',
      title: text('Delegations of the task', 'タスクの委任'),
      description: text(
        "States and results of this task's delegations. wait_seconds waits for a change.",
        'このタスクの委任の状態と結果。wait_seconds で変化を待ちます。',
      ),
      ja: {
        wait_seconds: '待つ秒数。50 まで。例: 30。',
        delegation_id: 'これだけ。例: "dlg_7k2m9q4x3v5w"。',
      },
      example: { wait_seconds: 30 },
    },
    conversationMessages: {
      name: 'get_conversation_messages',
      title: text('Messages of a conversation', '会話のメッセージ'),
      description: text(
        'Messages of one of your conversations, 20 at a time.',
        '自分の会話のメッセージを 20 件ずつ。',
      ),
      ja: {
        conversation_id: '会話。例: "cnv_7k2m9q4x3v5w"。',
        cursor: '前のページの next_cursor。例: "42"。',
      },
      example: { conversation_id: 'cnv_7k2m9q4x3v5w' },
    },
  },
);
