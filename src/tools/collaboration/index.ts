import { defineToolset } from '../../contract/tool/define-tool.ts';
import type { Toolset } from '../../contract/tool/tool.ts';
import { authenticate } from './agents/authenticate.ts';
import { getAgentAction } from './agents/get-agent-action.ts';
import { getMyExecutionHistory } from './agents/get-my-execution-history.ts';
import { getMyProfile } from './agents/get-my-profile.ts';
import { getNextAction } from './agents/get-next-action.ts';
import { getNotifications } from './agents/get-notifications.ts';
import { getSubordinateProfile } from './agents/get-subordinate-profile.ts';
import { listManagedAgents } from './agents/list-managed-agents.ts';
import { listSubordinates } from './agents/list-subordinates.ts';
import { logout } from './agents/logout.ts';
import { reportAgentError } from './agents/report-agent-error.ts';
import { reportExecutionComplete } from './agents/report-execution-complete.ts';
import { reportExecutionStart } from './agents/report-execution-start.ts';
import { reportModel } from './agents/report-model.ts';
import { reportProcessExit } from './agents/report-process-exit.ts';
import { selectAction } from './agents/select-action.ts';
import { delegateToChatSession } from './chat/delegate-to-chat-session.ts';
import { endConversation } from './chat/end-conversation.ts';
import { getConversationMessages } from './chat/get-conversation-messages.ts';
import { getPendingMessages } from './chat/get-pending-messages.ts';
import { getTaskConversations } from './chat/get-task-conversations.ts';
import { reportDelegationCompleted } from './chat/report-delegation-completed.ts';
import { respondChat } from './chat/respond-chat.ts';
import { sendMessage } from './chat/send-message.ts';
import { startConversation } from './chat/start-conversation.ts';
import { getProject } from './get-project.ts';
import { healthCheck } from './health-check.ts';
import { listActiveProjectsWithAgents } from './list-active-projects-with-agents.ts';
import { approveTaskRequest } from './tasks/approve-task-request.ts';
import { assignTask } from './tasks/assign-task.ts';
import { claimTask } from './tasks/claim-task.ts';
import { createTask } from './tasks/create-task.ts';
import { createTasksBatch } from './tasks/create-tasks-batch.ts';
import { getMyTask } from './tasks/get-my-task.ts';
import { getTask } from './tasks/get-task.ts';
import { listTasks } from './tasks/list-tasks.ts';
import { rejectTaskRequest } from './tasks/reject-task-request.ts';
import { releaseTask } from './tasks/release-task.ts';
import { reportCompleted } from './tasks/report-completed.ts';
import { requestTask } from './tasks/request-task.ts';
import { updateTaskStatus } from './tasks/update-task-status.ts';

/** Tools of agents' teamwork: sessions, tasks, chats, delegation, and the starting program (document 002). */
export function createCollaborationToolset(): Toolset {
  return defineToolset('collaboration', [
    authenticate,
    logout,
    healthCheck,
    listManagedAgents,
    listActiveProjectsWithAgents,
    getAgentAction,
    reportProcessExit,
    reportAgentError,
    listSubordinates,
    getSubordinateProfile,
    assignTask,
    selectAction,
    approveTaskRequest,
    rejectTaskRequest,
    getMyProfile,
    getMyTask,
    getNextAction,
    getProject,
    listTasks,
    getTask,
    createTask,
    createTasksBatch,
    claimTask,
    releaseTask,
    updateTaskStatus,
    reportCompleted,
    reportModel,
    requestTask,
    getNotifications,
    getMyExecutionHistory,
    reportExecutionStart,
    reportExecutionComplete,
    getPendingMessages,
    respondChat,
    sendMessage,
    startConversation,
    endConversation,
    reportDelegationCompleted,
    delegateToChatSession,
    getTaskConversations,
    getConversationMessages,
  ]);
}
