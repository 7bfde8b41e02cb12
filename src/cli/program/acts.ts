import type { Command } from 'commander';
import type { Flags } from '../../config/settings.ts';
import type { Options } from '../common/options.ts';

/** A command's function. It gets the words of the command line, and its options twice: as the flags of the configuration and as its own. */
type Act = (...given: never[]) => number | Promise<number>;

/** What each command does. Each loads its own file, so that no command pays for another's imports. */
export const acts: Readonly<Record<string, (program: Command) => Promise<Act>>> = {
  serve: async () => (await import('../serving/serve.ts')).serve,
  call: async () => (await import('../call.ts')).call,
  tools: async () => (await import('../call.ts')).tools,
  run: async () => (await import('../hook/run.ts')).run,
  hook: async () => {
    const { hook } = await import('../hook/client.ts');
    return (client: string) => hook([client, ...process.argv.slice(4)]);
  },
  ps: async () => (await import('../resident/sessions.ts')).listSessions,
  stop: async () => (await import('../resident/sessions.ts')).stopSessions,
  halt: async () => (await import('../halt.ts')).halt,
  resume: async () => (await import('../halt.ts')).resume,
  ask: async () => (await import('../ask/ask.ts')).askModel,
  'token create': async () => (await import('../token.ts')).createToken,
  'token list': async () => (await import('../token.ts')).listTokens,
  'token revoke': async () => (await import('../token.ts')).revokeToken,
  'secret set': async () => (await import('../secret.ts')).setSecret,
  'secret list': async () => (await import('../secret.ts')).listSecrets,
  'secret test': async () => (await import('../secret.ts')).testSecret,
  'secret remove': async () => (await import('../secret.ts')).removeSecret,
  'audit tail': async () => (await import('../audit.ts')).tailAudit,
  'audit search': async () => (await import('../audit.ts')).searchAudit,
  'audit verify': async () => (await import('../audit.ts')).verifyAudit,
  'audit export': async () => (await import('../audit.ts')).exportAudit,
  approve: async () => async (ids: readonly string[], flags: Flags, options: Options) => {
    if (options.watch) return (await import('../approve/watch/watch.ts')).watchQuestions(flags);
    return (await import('../approve/approve.ts')).approve(ids, flags, options);
  },
  'approve grants': async () => (await import('../approve/grants.ts')).listGrants,
  'approve revoke': async () => (await import('../approve/grants.ts')).revokeGrants,
  'notify list': async () => (await import('../notify.ts')).listChannels,
  'notify test': async () => (await import('../notify.ts')).testChannel,
  'notify log': async () => (await import('../notify.ts')).noticeLog,
  'notify devices': async () => (await import('../notify.ts')).listDevices,
  'notify remove': async () => (await import('../notify.ts')).removeDevice,
  'passkey list': async () => (await import('../notify.ts')).listPasskeys,
  'passkey remove': async () => (await import('../notify.ts')).removePasskey,
  'agent add': async () => (await import('../team/agent.ts')).addAgent,
  'agent list': async () => (await import('../team/agent.ts')).listAgents,
  'agent passwd': async () => (await import('../team/agent.ts')).changePasskey,
  'agent remove': async () => (await import('../team/agent.ts')).removeAgent,
  'project add': async () => (await import('../team/project.ts')).addProject,
  'project list': async () => (await import('../team/project.ts')).listProjects,
  'project assign': async () => (await import('../team/project.ts')).assignAgent,
  'project pause': () => statusOf('paused'),
  'project resume': () => statusOf('active'),
  'task add': async () => (await import('../team/task.ts')).addTask,
  'task list': async () => (await import('../team/task.ts')).listTasks,
  'task show': async () => (await import('../team/task.ts')).showTask,
  'task assign': async () => (await import('../team/task.ts')).assignTask,
  'task cancel': async () => (await import('../team/task.ts')).cancelTask,
  'coordinator token': async () => (await import('../team/agent.ts')).setCoordinatorToken,
  chat: async () => (await import('../team/chat.ts')).chatWith,
  'team apply': async () => (await import('../team/apply.ts')).applyTeam,
  'server list': async () => (await import('../server/server.ts')).listServers,
  'server check': async () => (await import('../server/server.ts')).checkServers,
  'server approve': async () => (await import('../server/server.ts')).approveServer,
  'server login': async () => (await import('../server/login.ts')).loginServer,
  'server logout': async () => (await import('../server/login.ts')).logoutServer,
  'server forget': async () => (await import('../server/server.ts')).forgetServer,
  import: async () => (await import('../import.ts')).importServers,
  history: async () => (await import('../history.ts')).showHistory,
  diff: async () => (await import('../history.ts')).showDiff,
  story: async () => (await import('../look-back.ts')).showStory,
  digest: async () => (await import('../look-back.ts')).showDigest,
  undo: async () => (await import('../undo.ts')).undo,
  'policy explain': async () => (await import('../policy-commands.ts')).explain,
  'policy test': async () => (await import('../policy-commands.ts')).test,
  'policy why': async () => (await import('../policy-why.ts')).why,
  'memory export': async () => (await import('../memory.ts')).exportMemory,
  'memory embed': async () => (await import('../memory.ts')).embedMemory,
  'memory import': async () => (await import('../memory.ts')).importMemory,
  'store copy': async () => (await import('../common/store.ts')).copyStore,
  nodes: async () => (await import('../nodes.ts')).showNodes,
  projects: async () => (await import('../projects.ts')).showProjects,
  doctor: async () => (await import('../doctor.ts')).doctor,
  console: async () => (await import('../console.ts')).printConsoleLink,
  init: async () => async (options: Options) => {
    if (options.remove) return (await import('../init/init.ts')).removeOurs(options);
    if (options.hooks) return (await import('../init/hooks.ts')).initHooks(options);
    return (await import('../init/init.ts')).init(options);
  },
  'image build': async () => (await import('../container/image.ts')).buildImage,
  completion: async (program) => {
    const { printCompletion } = await import('../completion/print.ts');
    return (shell: 'bash' | 'zsh' | 'fish') => printCompletion(shell, program);
  },
};

async function statusOf(status: 'paused' | 'active') {
  const { setProjectStatus } = await import('../team/project.ts');
  return (id: string, flags: Flags) => setProjectStatus(id, status, flags);
}
