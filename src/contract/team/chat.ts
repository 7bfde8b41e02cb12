/** Conversations between agents, and errands that a task session gives to its agent's chat session. */
export interface TeamChat {
  /** Delivers at least once: a message stays pending until a reply or an ack follows its delivery. */
  pendingMessages(input: { readonly ack?: readonly string[] | undefined }): Promise<PendingMessages>;
  respond(input: { readonly content: string; readonly conversation_id?: string | undefined }): Promise<Sent>;
  send(input: { readonly target_agent_id: string; readonly content: string }): Promise<Sent>;
  startConversation(input: {
    readonly participant_agent_id: string;
    readonly purpose: string;
    readonly message?: string | undefined;
    readonly max_turns: number;
    readonly delegation_id?: string | undefined;
  }): Promise<{ conversation_id: string; status: string; message_id?: string }>;
  endConversation(input: {
    readonly conversation_id: string;
    readonly summary?: string | undefined;
  }): Promise<{ success: boolean; status: string }>;
  reportDelegation(input: {
    readonly delegation_id: string;
    readonly status: 'completed' | 'failed';
    readonly result: string;
  }): Promise<{ success: boolean }>;
  delegate(input: {
    readonly target_agent_id: string;
    readonly purpose: string;
    readonly context?: string | undefined;
  }): Promise<{ delegation_id: string; status: string }>;
  taskConversations(
    input: { readonly wait_seconds: number; readonly delegation_id?: string | undefined },
    signal: AbortSignal,
  ): Promise<{ delegations: (DelegationView & { conversations: ConversationView[] })[] }>;
  conversationMessages(input: {
    readonly conversation_id: string;
    readonly cursor?: string | undefined;
  }): Promise<{ conversation: ConversationView; messages: MessageView[]; next_cursor?: string }>;
}

export interface PendingMessages {
  messages: MessageView[];
  /** There are more; they come once these are answered or acknowledged. */
  more: boolean;
  context: MessageView[];
  conversations: ConversationView[];
  delegations: DelegationView[];
  instruction: string;
}

export interface MessageView {
  message_id: string;
  conversation_id: string;
  from: string;
  to: string;
  content: string;
  sent_at: string;
}

export interface ConversationView {
  conversation_id: string;
  with: string;
  purpose: string;
  status: string;
  turns: number;
  max_turns: number;
  outcome?: string;
}

export interface DelegationView {
  delegation_id: string;
  target_agent_id: string;
  purpose: string;
  status: string;
  context?: string;
  result?: string;
}

export interface Sent {
  message_id: string;
  conversation_id: string;
  status: string;
  turns: number;
  max_turns: number;
  reminder?: string;
}
