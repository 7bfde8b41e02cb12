/** Bounds that apply unless the operator sets others. Each loop, buffer and wait over foreign data has one. */
export const limits = {
  /** One message over stdio, and one HTTP body. */
  stdioMessageBytes: 64 * 1024 * 1024,
  httpBodyBytes: 8 * 1024 * 1024,
  /** How deep the JSON of a message is, how many names an object in it has, and its members and elements in all. */
  messageDepth: 128,
  messageNames: 5_000,
  messageValues: 20_000,
  /** One message of a proxied server. */
  remoteMessageBytes: 16 * 1024 * 1024,
  remoteMessageValues: 200_000,
  /** Arguments of one call by name. */
  argumentNames: 1000,
  /** One write of a file. */
  writeBytes: 16 * 1024 * 1024,
  /** Default size of a reply in UTF-8: clients cut longer ones, or save them where no tool reads them. */
  replyBytes: 30_000,
  /** Default and largest size of a text read by a program. */
  readChars: 100_000,
  readMaxChars: 8_000_000,
  /** A component of a path; the limit of Linux. */
  nameBytes: 255,
  pathBytes: 4096,
  /** A command line, its arguments, and the output of each stream. */
  commandBytes: 32 * 1024,
  commandArguments: 1000,
  streamBytes: 1024 * 1024,
  commandTimeoutMs: 30_000,
  commandMaxTimeoutMs: 300_000,
  /** Of the assistant's bash, unless the operator allows more. */
  bashMaxTimeoutMs: 60_000,
  /** Caches of package managers and compilers that are kept between commands, for one set of roots. */
  cacheBytes: 5 * 1024 * 1024 * 1024,
  /** Some clients abandon a call after 60 s, so a longer one continues without its request. */
  callMs: 50_000,
  /** Between TERM and KILL. */
  killGraceMs: 2000,
  /** Concurrent commands of one session, and how many more may wait. */
  commandsAtOnce: 4,
  commandsWaiting: 64,
  pipelineStages: 10,
  /** Changes that a dry run lists, and the size of its diff. */
  dryRunChanges: 100_000,
  dryRunDiffBytes: 256 * 1024,
  /** The most that a dry run may write; less on a disk with little free space. */
  dryRunBytes: 4 * 1024 ** 3,
  /** Equal calls in a row with an equal result until the reply says so; five times as many until a person is asked. */
  repeats: 10,
  /** How long a call waits for a person before it returns `approval_pending`. */
  approvalWaitMs: 45_000,
  approvalExpiryMs: 24 * 60 * 60 * 1000,
  /** Records of reading calls are written in batches, at most this late. */
  auditBatchMs: 20,
  /** If several servers write, records are joined to one chain at most this late. */
  auditJoinMs: 1000,
  /** How long running calls get when the server is told to stop. */
  stopGraceMs: 10_000,
  /** The time that a command gets to end once the server itself is told to: a client may kill it half a second later. */
  stoppingKillMs: 100,
} as const;

/** The most work in one session, by one caller in a day, and by all callers in a day; undefined: as much as they like. */
export type CapSettings = Readonly<Record<'session' | 'agent' | 'day', Cap>>;

interface Cap {
  readonly calls?: number | undefined;
  readonly minutes?: number | undefined;
  readonly changedBytes?: number | undefined;
  readonly sentBytes?: number | undefined;
}

/** At most `perMinute` calls a minute by one principal to the tools of these toolsets. */
export interface RateRule {
  readonly id: string;
  /** Undefined: every toolset. */
  readonly toolsets?: readonly string[] | undefined;
  /** Local callers are counted only by rules for `everyone`. */
  readonly appliesTo: 'remote' | 'everyone';
  readonly perMinute: number;
}
