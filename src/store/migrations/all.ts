import { records } from './001-records.ts';
import { team } from './002-team.ts';
import { history } from './003-history.ts';
import { askSessions } from './004-ask-sessions.ts';
import { consoleSessions } from './005-console.ts';
import { embeddings } from './006-embeddings.ts';
import { runningTasks } from './007-running-tasks.ts';
import { auditInbox } from './008-audit-inbox.ts';
import { notices } from './009-notices.ts';
import { passkeySessions } from './010-passkey-sessions.ts';
import { questions } from './011-questions.ts';
import { nodes } from './012-nodes.ts';
import { relay } from './013-relay.ts';
import { contents } from './014-contents.ts';
import { retention } from './015-retention.ts';
import { givenTasks } from './016-given-tasks.ts';
import { questionParts } from './017-question-parts.ts';
import type { Migration } from './migration.ts';

/** Every step, in order; a database's version is the number of steps taken. Only append. */
export const migrations: readonly Migration[] = [
  records,
  team,
  history,
  askSessions,
  consoleSessions,
  embeddings,
  runningTasks,
  auditInbox,
  notices,
  passkeySessions,
  questions,
  nodes,
  relay,
  contents,
  retention,
  givenTasks,
  questionParts,
];
