import * as z from 'zod';
import { locales } from '../contract/text/text.ts';
import { historySchema } from './history.ts';
import { memorySchema } from './memory.ts';
import { askSchema, modelsSchema } from './models.ts';
import { notifySchema } from './notify/notify-schema.ts';
import { oauthTrustSchema } from './oauth.ts';
import { publishSchema } from './publish.ts';
import { rulesSchema } from './rules.ts';
import { containerSchema, runtimeSchema } from './runtime.ts';
import { secretsSchema } from './secrets/secrets.ts';
import { signingSchema } from './secrets/signing.ts';
import { atLeast, between, choice, flag, section, word } from './section.ts';
import { flowSchema, serversSchema } from './servers/server-schema.ts';
import { toolsetNames } from './toolset-names.ts';

const milliseconds = z.int().min(0).max(86_400_000);
const names = z.array(z.string().min(1));
const tlsModes = ['inspect', 'tunnel'] as const;

const root = z.union([
  z.string().min(1),
  z.strictObject({ path: z.string().min(1), writable: z.boolean().optional() }),
]);

const rateLimit = z.strictObject({
  toolsets: names.optional().describe('Toolsets that are counted together; absent: all.'),
  appliesTo: z.enum(['remote', 'everyone']).default('remote').describe('Whose calls are counted.'),
  perMinute: atLeast(1, 'Calls a minute for each principal.'),
});

function caps(of: string) {
  return section({
    calls: atLeast(1, `The most calls ${of}.`),
    minutes: atLeast(1, `The most minutes that calls run ${of}, without background commands.`),
    changedBytes: atLeast(1, `The most bytes of files changed ${of}, as the history records them.`),
    sentBytes: atLeast(
      1,
      `The most bytes sent ${of}: by commands to hosts, to proxied servers and web pages.`,
    ),
  });
}

const settingsSchema = section({
  $schema: z.string(),
  profile: word('A set of defaults by name, e.g. "coding".'),
  roots: z
    .array(root)
    .min(1)
    .describe(
      'Folders that tools can see, wherever the server is started, e.g. ["/srv/project"]. Default: the project that the client works in (`projects`).',
    ),
  resident: flag(
    'Whether the clients that start this server over stdio share one, which runs on for a while after the last has gone (Linux). With true, `init` also has a client start the small program that joins it. Default: they share one.',
  ),
  protectedNames: names.describe('Additional names that no tool may write, e.g. ["secrets.env"].'),
  toolsets: z.array(z.enum(toolsetNames)).describe('The toolsets to serve, e.g. ["assistant", "vault"].'),
  mode: choice(
    ['read-only', 'workspace-write', 'full-access'],
    'What tools may do before a person is asked.',
  ),
  locale: choice(locales, 'Language of tool texts and messages. Default: from the environment.'),
  runtime: runtimeSchema.describe(
    'Where the server runs: "host", or "container" (docker or podman). Default: "host" on Linux, "container" elsewhere.',
  ),
  container: containerSchema.describe('The container, where the server runs in one.'),
  state: word('Folder of the audit log, approvals, memories and history.'),
  store: z.strictObject({
    url: word('A postgres://… address, for several servers. Default: SQLite in the state folder.'),
  }),
  http: section({
    host: word('Address to listen on. Default: 127.0.0.1.'),
    port: between(0, 65_535, 'Default: 7040.'),
    allowedHosts: names.describe('Additional Host headers to accept, e.g. ["tools.example.com"].'),
    allowedOrigins: names.describe('Origins of browser clients, e.g. ["https://app.example.com"].'),
    maxBodyBytes: atLeast(1024, 'Largest request body. Default: 8 MiB.'),
    oauth: oauthTrustSchema.describe(
      'Access tokens of an authorization server that open this one, beside our own tokens.',
    ),
    console: z
      .union([z.boolean(), z.literal('localhost')])
      .describe(
        'Serve the web console. `"localhost"` serves it at that name, for browsers that open no other name of this machine (Safari). Default: true, at a name of its own.',
      ),
    publicUrl: word(
      'The address at which a phone reaches this server, e.g. "https://sekisho.example.com". Links in notices begin with it.',
    ),
    drainMs: between(
      0,
      600_000,
      'How long a stopping server still accepts calls while /ready reports that it is not ready, so that a load balancer notices. Default: 0.',
    ),
    roots: choice(
      ['own', 'shared'],
      'With several servers on one PostgreSQL: "shared" if all servers have the same files at the same paths, so that any of them answers calls for files; "own" if not: a session stays with the server where it first used files, and the other servers forward its calls. Default: "own".',
    ),
  }),
  files: section({
    stale: choice(
      ['tell', 'refuse', 'off'],
      'What happens when a session replaces a whole file that others changed since it read it: "tell" it in the reply, "refuse", or "off". Default: "tell".',
    ),
  }),
  hooks: section({
    elsewhere: choice(
      ['judge', 'leave'],
      'What hooks do with the client\'s own tools in a folder that is no project: "judge" by the settings for all projects, or "leave" them alone. Default: "judge".',
    ),
  }),
  rules: rulesSchema.describe('Policy rules. The strictest matching rule wins.'),
  flow: flowSchema.describe(
    'What happens if text written by a stranger decides where a call to a proxied tool goes: "ask" a person, "deny" the call, or "off", which instead asks before every call that may change something. Default: "ask".',
  ),
  rateLimits: z
    .array(rateLimit)
    .describe(
      'Default: 10 a minute for remote users of the assistant toolset in its chat layout; 300 a minute for work in a folder (profiles coding and team). The token that serve prints belongs to the operator, who is not a remote user.',
    ),
  limits: section({
    repeats: atLeast(
      0,
      'How many equal calls in a row, with an equal result, until the reply says so; after five times as many a person is asked, except in the mode "full-access". Calls that wait or look at a state are not counted. Default: 10; 0 never.',
    ),
    session: caps('in one session'),
    agent: caps('by one caller (agent, user or this machine) in a day'),
    day: caps('by all callers in a day'),
  }).describe('Caps on runaway work. Default: none but the notice about repeats.'),
  approval: section({
    waitMs: milliseconds.describe('How long a call waits for a person. Default: 45000.'),
    expiryMs: milliseconds.describe('How long a question can be answered. Default: one day.'),
  }),
  notify: notifySchema.describe('How a question that waits reaches you: `docs/notices.md`.'),
  process: section({
    sandbox: choice(
      ['required', 'off'],
      '"off" runs commands without a sandbox; only you can set this. Default: "required".',
    ),
    environment: names.describe(
      'Additional environment variables that commands can see, e.g. ["JAVA_HOME"].',
    ),
    readable: names.describe('Additional folders that commands can read, e.g. ["/home/me/.pyenv"].'),
    devices: z
      .array(z.enum(['gpu']))
      .describe(
        'Devices that commands can use: "gpu" is the graphics processors, with what their drivers read. Default: none.',
      ),
    network: z
      .array(z.union([z.string().min(1), z.strictObject({ host: z.string().min(1), tls: z.enum(tlsModes) })]))
      .describe(
        'Hosts that commands can reach, e.g. ["npm", "api.example.com", "*.example.org", "git.example.com:8443"]; named sets: npm, pypi, crates, go, rubygems, maven, github, and registries for those of them that the manifests of the project need. a request that does more than read is asked about, for which Sekisho ends TLS. { "host": "api.example.com", "tls": "tunnel" } passes TLS through unread; the default is "inspect". Default: none.',
      ),
    publish: publishSchema.describe(
      'The ports of commands that appear on this machine\'s loopback for your browsers, e.g. [3000, "5170-5180"]; true: 1024 to 32767, without those of debuggers. You are asked once a session for each port. Default: false.',
    ),
    outside: choice(
      ['ask', 'never'],
      'Whether an agent may ask that one command of shell_exec runs outside the sandbox, as you, such as sudo apt install; only a person agrees, at the console or a terminal, to exactly this command, once. Default: "ask" where the toolset is agent-cli alone, "never" otherwise.',
    ),
    tryFirst: flag(
      'If the built-in rules would stop a command only because files could be lost, run it on a layer and decide by what it did. Default: true, unless layer is "off".',
    ),
    layer: choice(
      ['auto', 'off'],
      'Commands run on a copy-on-write layer where possible, and their changes land when they end; "off": commands run on the folders themselves. Default: "auto".',
    ),
    onFailure: choice(
      ['keep', 'discard'],
      'What happens to the changes of a command that fails, times out or is cancelled. "discard" drops them if the command ran on a layer. Default: "keep", as in any shell.',
    ),
    judgement: choice(
      ['plain', 'listed', 'strict'],
      'How strictly commands are read. "plain": judged by what they do; "listed": rm -rf is also refused and kill asked about, whatever their arguments; "strict": also no substitutions, eval, exec or base64 -d. Default: "plain" for bash in your project (layout "workspace"), "listed" for shell_exec, "strict" for bash in its own folder.',
    ),
    cacheBytes: atLeast(
      0,
      'Size of the cache that package managers and compilers (npm, pip, cargo, go, …) share between commands; each root has its own. Default: 5 GiB; 0 keeps nothing.',
    ),
    maxTimeoutMs: between(
      1000,
      3_600_000,
      'Longest timeout that bash accepts. Default: one minute; in the profile "coding" one hour.',
    ),
    maxBackgroundMs: milliseconds.describe('How long a background command may run. Default: one hour.'),
  }),
  secrets: secretsSchema.describe(
    'Credentials that commands use and never hold: they get stand-ins, which are replaced where a request leaves for one of its hosts: `docs/secrets.md`.',
  ),
  signing: signingSchema.describe(
    'Your keys sign for commands, and stay outside: logins by ssh, commits and tags: `docs/signing.md`.',
  ),
  'agent-cli': section({
    allowMime: names.describe('Types of binary files that file_read returns, e.g. ["image/*"].'),
    allowExecutable: flag('Allow file_write to write scripts and programs.'),
  }),
  assistant: section({
    layout: choice(
      ['output', 'workspace'],
      'Write in output/DATE/user_ID (default), or in the workspace itself.',
    ),
    timeZone: word('The time zone that determines the date, e.g. "Asia/Tokyo". Default: the machine\'s.'),
  }),
  web: section({
    allowHosts: names.describe(
      'Only these hosts, e.g. ["*.example.com"]. Not set: any public host. Empty: none.',
    ),
    denyHosts: names.describe('Never these hosts.'),
    allowPrivate: names.describe('Private addresses that may be fetched, e.g. ["10.1.2.3:8080"].'),
    robots: flag('Respect robots.txt.'),
  }),
  vault: section({
    root: word(
      'Folder of the notes. Default: vault in the first root; or the root itself, if only the vault is served and the root contains notes but no vault folder.',
    ),
    hardMaxChars: z.number().describe('Maximum characters in a reply. Default: 20000.'),
    defaultChunkLines: z.number().describe('Lines per scan. Default: 80.'),
    maxChunkLines: z.number().describe('Maximum lines per scan. Default: 200.'),
    extras: flag('Serve vault_list, vault_search, vault_append, vault_links and resources. Default: true.'),
  }),
  servers: serversSchema.describe(
    'Servers to proxy: [{name, command, args, env}] or {name: {url, headers}}.',
  ),
  mcpServers: serversSchema.describe('The same as servers, under the name that clients use.'),
  retention: section({
    auditDays: between(1, 36_500, 'How many days to keep records of the audit log. Default: forever.'),
    eventDays: between(
      1,
      36_500,
      'How many days to keep the change history of finished tasks. Default: forever.',
    ),
  }).describe('What to delete when it is old. The rest of the audit log can still be verified.'),
  history: historySchema,
  pipeline: section({ extended: flag('Allow more commands in pipelines: cat, cut, uniq, nl and others.') }),
  memory: memorySchema,
  models: modelsSchema.describe('Models for `sekisho ask`, by the name that you choose them by.'),
  ask: askSchema,
});

/** The settings that a project may have of its own. All others, such as models and notices, are the person's. */
const projectSchema = settingsSchema
  .pick({
    profile: true,
    protectedNames: true,
    toolsets: true,
    mode: true,
    rules: true,
    flow: true,
    rateLimits: true,
    limits: true,
    process: true,
    'agent-cli': true,
    assistant: true,
    web: true,
    vault: true,
  })
  .strict();

/** The configuration file, `sekisho.jsonc`. Every key is optional. `docs/configuration.md` is generated from it. */
export const configSchema = settingsSchema.extend({
  projects: z
    .record(z.string().min(1), projectSchema)
    .optional()
    .describe(
      'Your projects by folder, e.g. {"~/code/*": {"profile": "coding"}}, each with settings of its own (profile, mode, toolsets, rules, process, web and others): `docs/projects.md`.',
    ),
});

export type ConfigFile = z.input<typeof configSchema>;
