import { defineToolset } from '../../contract/tool/define-tool.ts';
import type { Toolset } from '../../contract/tool/tool.ts';
import { chatTools } from './chat.ts';
import { coordinationTools } from './coordination.ts';
import { delegationTools } from './delegation.ts';
import { managementTools } from './management.ts';
import { sessionTools } from './sessions.ts';
import { workTools } from './work.ts';

/** Tools of agents' teamwork: sessions, tasks, chats, delegation, and the starting program (document 002). */
export function createCollaborationToolset(): Toolset {
  return defineToolset('collaboration', [
    ...sessionTools,
    ...coordinationTools,
    ...managementTools,
    ...workTools,
    ...chatTools,
    ...delegationTools,
  ]);
}
