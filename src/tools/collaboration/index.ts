import { defineToolset } from '../../contract/define-tool.ts';
import type { Toolset } from '../../contract/tool.ts';
import { approveTaskRequest } from './approve-task-request.ts';
import { assignTask } from './assign-task.ts';
import { authenticate } from './authenticate.ts';
import { claimTask } from './claim-task.ts';
import { createTask } from './create-task.ts';
import { createTasksBatch } from './create-tasks-batch.ts';
import { delegateToChatSession } from './delegate-to-chat-session.ts';
import { endConversation } from './end-conversation.ts';
import { getAgentAction } from './get-agent-action.ts';
import { getConversationMessages } from './get-conversation-messages.ts';
import { getMyExecutionHistory } from './get-my-execution-history.ts';
import { getMyProfile } from './get-my-profile.ts';
import { getMyTask } from './get-my-task.ts';
import { getNextAction } from './get-next-action.ts';
import { getNotifications } from './get-notifications.ts';
import { getPendingMessages } from './get-pending-messages.ts';
import { getProject } from './get-project.ts';
import { getSubordinateProfile } from './get-subordinate-profile.ts';
import { getTask } from './get-task.ts';
import { getTaskConversations } from './get-task-conversations.ts';
import { healthCheck } from './health-check.ts';
import { listActiveProjectsWithAgents } from './list-active-projects-with-agents.ts';
import { listManagedAgents } from './list-managed-agents.ts';
import { listSubordinates } from './list-subordinates.ts';
import { listTasks } from './list-tasks.ts';
import { logout } from './logout.ts';
import { rejectTaskRequest } from './reject-task-request.ts';
import { releaseTask } from './release-task.ts';
import { reportAgentError } from './report-agent-error.ts';
import { reportCompleted } from './report-completed.ts';
import { reportDelegationCompleted } from './report-delegation-completed.ts';
import { reportExecutionComplete } from './report-execution-complete.ts';
import { reportExecutionStart } from './report-execution-start.ts';
import { reportModel } from './report-model.ts';
import { reportProcessExit } from './report-process-exit.ts';
import { requestTask } from './request-task.ts';
import { respondChat } from './respond-chat.ts';
import { selectAction } from './select-action.ts';
import { sendMessage } from './send-message.ts';
import { startConversation } from './start-conversation.ts';
import { updateTaskStatus } from './update-task-status.ts';

/** Agents working together: sessions, tasks, chats, delegation, and the program that starts them (document 002). */
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
