/** The capability `team`: agents, projects, tasks and chats, scoped to the calling agent. */
export interface Team {
  readonly callerId: string;
}
