import { text } from '../../contract/text/text.ts';
import { changes, settles, teamTools } from './team-tool.ts';

/** Talking with other agents, in a chat session. */
export const chatTools = teamTools(
  { category: 'chat', permission: 'chat_only', annotations: settles },
  {
    pendingMessages: {
      name: 'get_pending_messages',
      title: text('Pending messages', '未読メッセージ'),
      description: text(
        'Messages for you, what was said before, conversations and delegations. They stay pending until you reply or ack.',
        '未読メッセージ、直前のやりとり、会話、委任。返信か ack まで残ります。',
      ),
      ja: { ack: '返信不要のもの。例: ["msg_7k2m9q4x3v5w"]。' },
    },
    respond: {
      name: 'respond_chat',
      title: text('Respond', '返信'),
      description: text(
        'Answer the messages that get_pending_messages delivered, and mark them read.',
        'チャットメッセージに応答します。get_pending_messages で受け取ったものが既読になります。',
      ),
      annotations: changes,
      ja: {
        content: 'メッセージ。4000 文字まで。例: "スキーマは確定ですか"。',
        conversation_id: '会話。例: "cnv_7k2m9q4x3v5w"。省略時は最も古い未返信のもの。',
      },
      example: { content: 'Yes, it is final.' },
    },
    send: {
      name: 'send_message',
      title: text('Send a message', 'メッセージ送信'),
      description: text(
        'Say something in your open conversation with an agent.',
        '開いている会話の相手にメッセージを送ります。',
      ),
      annotations: changes,
      ja: {
        target_agent_id: 'エージェント。例: "worker-1"。',
        content: 'メッセージ。4000 文字まで。例: "スキーマは確定ですか"。',
      },
      example: { target_agent_id: 'worker-2', content: 'Is the schema final?' },
    },
    startConversation: {
      name: 'start_conversation',
      title: text('Start a conversation', '会話の開始'),
      description: text(
        'Invite an agent of the project to talk. It expires if not joined in 5 minutes.',
        'プロジェクトのエージェントを会話に招待します。5 分以内に参加がなければ失効します。',
      ),
      annotations: changes,
      ja: {
        participant_agent_id: 'エージェント。例: "worker-1"。',
        purpose: '目的。例: "スキーマの合意"。',
        message: '最初のメッセージ。例: "スキーマは確定ですか"。',
        max_turns: '最大ターン数。2〜40。例: 10。',
        delegation_id: '対応する委任。例: "dlg_7k2m9q4x3v5w"。',
      },
      example: { participant_agent_id: 'worker-2', purpose: 'Agree on the schema.', message: 'Is it final?' },
    },
    endConversation: {
      name: 'end_conversation',
      title: text('End a conversation', '会話の終了'),
      description: text(
        'End a conversation; messages sent before are still delivered.',
        '会話を終えます。相手は最後の発言まで読めます。',
      ),
      ja: { conversation_id: '会話。例: "cnv_7k2m9q4x3v5w"。', summary: '結果。例: "スキーマは確定"。' },
      example: { conversation_id: 'cnv_7k2m9q4x3v5w', summary: 'The schema is final.' },
    },
    reportDelegation: {
      name: 'report_delegation_completed',
      title: text('Report a delegation', '委任の報告'),
      description: text(
        'Give the result of a delegation back to your task session.',
        '委任の結果をタスクセッションに返します。',
      ),
      ja: {
        delegation_id: '委任。例: "dlg_7k2m9q4x3v5w"。',
        status: '結果の種類。例: "completed"。',
        result: '結果。例: "スキーマは確定"。',
      },
      example: { delegation_id: 'dlg_7k2m9q4x3v5w', result: 'The schema is final.' },
    },
  },
);
