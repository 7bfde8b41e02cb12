import { byCalls, type Point, point } from './points.ts';

const matrix = 'surface/permissions';
const agreement = '$name: help in detail and the call agree';

/** Document 002's table of tools and permissions, row by row. */
const permissions: readonly (readonly [tool: string, permission: string])[] = [
  ['get_pending_messages', 'chatOnly'],
  ['respond_chat', 'chatOnly'],
  ['start_conversation', 'chatOnly'],
  ['end_conversation', 'chatOnly'],
  ['send_message', 'chatOnly'],
  ['delegate_to_chat_session', 'taskOnly'],
  ['get_my_task', 'authenticated'],
  ['report_completed', 'authenticated'],
  ['help', 'unauthenticated'],
  ['authenticate', 'unauthenticated'],
];

/** What help shows to each kind of caller. */
const shown: readonly (readonly [en: string, ja: string])[] = [
  ['an unauthenticated caller: `authenticate` and `help`', '未認証の呼び出し元: `authenticate` と `help`'],
  [
    'the coordinator: `health_check`, `list_managed_agents`, `get_agent_action` and similar tools',
    'コーディネーター: `health_check`、`list_managed_agents`、`get_agent_action` など',
  ],
  [
    'a manager with a task: the manager and common tools, no chat tools',
    'マネージャー（task）: マネージャー専用と共通のツール（チャット系を除く）',
  ],
  [
    'a manager in a chat: the manager, common and chat tools',
    'マネージャー（chat）: マネージャー専用、共通、チャット系のツール',
  ],
  [
    'a worker with a task: the worker and common tools, no chat tools',
    'ワーカー（task）: ワーカー専用と共通のツール（チャット系を除く）',
  ],
  [
    'a worker in a chat: the worker, common and chat tools',
    'ワーカー（chat）: ワーカー専用、共通、チャット系のツール',
  ],
];

/** Document 002: who may call which tool, and help. */
export const authorization: readonly Point[] = [
  point(
    'A session has a purpose, `task` or `chat`; sessions of one purpose cannot call tools reserved for the other',
    'セッションは purpose（task または chat）を持ち、互いに専用のツールを呼び出せない',
    'call/decide.ts',
    matrix,
    agreement,
  ),
  ...permissions.map(([tool, permission]) =>
    point(
      `\`${tool}\` has the permission ${permission}`,
      `\`${tool}\` の権限は ${permission}`,
      'call/decide.ts',
      matrix,
      'every tool of the document is there with its permission, and no other',
    ),
  ),
  point(
    'A chat session can read tasks',
    'タスク系ツールはチャットセッションからも参照できる',
    'call/decide.ts',
    matrix,
    agreement,
  ),
  point(
    'A task session communicates through `delegate_to_chat_session`',
    'タスクセッションからのコミュニケーションには `delegate_to_chat_session` を使う',
    'tools/collaboration/delegation.ts',
    'team/talk',
    'a delegation is reported once, and serves no conversation after that',
  ),
  point(
    'A chat tool called without a session answers that authentication is required',
    'セッションなしでチャット専用ツールを呼ぶと、認証が必要と答える',
    'call/authorize.ts',
    matrix,
    agreement,
  ),
  point(
    "`Tool 'respond_chat' requires a chat session. Current session purpose is 'task'.`, word for word",
    "`Tool 'respond_chat' requires a chat session. Current session purpose is 'task'.` を一字一句そのまま返す",
    'call/decide.ts',
    matrix,
    agreement,
  ),
  point(
    "`Tool 'xxx' requires a task session. Current session purpose is 'chat'.`, word for word",
    "`Tool 'xxx' requires a task session. Current session purpose is 'chat'.` を一字一句そのまま返す",
    'call/decide.ts',
    matrix,
    agreement,
  ),
  point(
    'get_next_action only suggests steps that will not be refused',
    'get_next_action は、拒否されない手順だけを指示する',
    'store/team/next-action.ts',
    'team/following',
    'whoever follows the steps is not refused, and all work is done',
  ),
  point(
    'help can be called before authentication',
    'help は認証前でも呼び出せる',
    'tools/help/help.ts',
    'team/help',
    'is told how to come in, and one whose token is worth nothing is not told to pass it',
  ),
  point(
    'help describes the caller: kind, purpose, agent and project',
    'help は呼び出し元の種別、purpose、エージェント、プロジェクトを示す',
    'tools/help/list-tools.ts',
    matrix,
    'help tells who is calling, and no more',
  ),
  point(
    'The context contains no token',
    'context にトークンは含まれない',
    'tools/help/list-tools.ts',
    matrix,
    'help tells who is calling, and no more',
  ),
  ...shown.map(([en, ja]) =>
    point(
      `help shows to ${en}`,
      `help の表示 ― ${ja}`,
      'tools/help/list-tools.ts',
      matrix,
      'help lists exactly what may be called, and says of the others why not',
    ),
  ),
  point(
    '`total_available` is the number of tools listed',
    '`total_available` は一覧の件数',
    'tools/help/list-tools.ts',
    matrix,
    'help lists exactly what may be called, and says of the others why not',
  ),
  point(
    '`unavailable_info` gives the reason why other tools cannot be called',
    '`unavailable_info` は利用できないツールの理由を示す',
    'tools/help/list-tools.ts',
    matrix,
    'help lists exactly what may be called, and says of the others why not',
  ),
  point(
    'help for a tool shows its parameters and an example',
    'ツール名を指定すると、パラメータと使用例を示す',
    'tools/help/describe-tool.ts',
    matrix,
    agreement,
  ),
  point(
    'Each tool has a category and an example',
    'すべてのツールがカテゴリと使用例を持つ',
    'contract/tool/define-tool.ts',
    'surface/catalog',
    '$name accepts its own example and refuses an argument that it does not have',
  ),
  point(
    'An unavailable tool is shown with the reason, without its parameters',
    '利用できないツールは理由とともに示し、パラメータは隠す',
    'tools/help/describe-tool.ts',
    matrix,
    agreement,
  ),
  point(
    'In Japanese, the reason is the sentence in the document',
    '日本語の理由は文書の文の通り',
    'tools/help/describe-tool.ts',
    'team/help',
    'help in Japanese says what the document says',
  ),
  point(
    'Permission is checked again when a listed tool is called',
    'help に表示されても、呼び出し時に再度認可を確認する',
    'call/authorize.ts',
    matrix,
    agreement,
  ),
  point(
    'help shows the choices of `report_completed`: success, failed, blocked',
    'help は `report_completed` の選択肢（success、failed、blocked）を示す',
    'tools/help/describe-tool.ts',
    'documents/tried',
    byCalls,
  ),
  point(
    'Each listed tool has a name, a description and a category',
    '一覧の各ツールは名前、説明、カテゴリを持つ',
    'tools/help/list-tools.ts',
    'documents/tried',
    byCalls,
  ),
  point(
    'tools/list without a session names `authenticate` and `help` among the tools',
    'セッションなしの tools/list にも `authenticate` と `help` がある',
    'call/decide.ts',
    'documents/tried',
    byCalls,
  ),
];
