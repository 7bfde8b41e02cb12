/** Bounds that hold unless the operator sets another. Each loop, buffer and wait over foreign data has one. */
export const limits = {
  /** One message over stdio, and one HTTP body. */
  stdioMessageBytes: 64 * 1024 * 1024,
  httpBodyBytes: 8 * 1024 * 1024,
  /** Arguments of one call by name. */
  argumentNames: 1000,
  /** One write of a file. */
  writeBytes: 16 * 1024 * 1024,
  /** What a reply holds unless more is asked for, as UTF-8: clients cut what is longer, or put it where no tool reads it. */
  replyBytes: 30_000,
  /** What a read returns of a text for a program, and the most that it may ask for. */
  readChars: 100_000,
  readMaxChars: 8_000_000,
  /** A component of a path; Linux takes no more. */
  nameBytes: 255,
  pathBytes: 4096,
  /** A command line, its arguments, and what each of its streams returns. */
  commandBytes: 32 * 1024,
  commandArguments: 1000,
  streamBytes: 1024 * 1024,
  commandTimeoutMs: 30_000,
  commandMaxTimeoutMs: 300_000,
  /** Of the assistant's bash, unless the operator allows more. */
  bashMaxTimeoutMs: 60_000,
  /** What commands keep for later ones: caches of package managers and compilers, for one set of roots. */
  cacheBytes: 5 * 1024 * 1024 * 1024,
  /** Some clients give a call up after 60 s; what takes longer goes on without it. */
  callMs: 50_000,
  /** Between TERM and KILL. */
  killGraceMs: 2000,
  /** Commands at once in one session, and how many more may wait. */
  commandsAtOnce: 4,
  commandsWaiting: 64,
  pipelineStages: 10,
  /** What a dry run tells: so many changes, and a diff of so many bytes. */
  dryRunChanges: 100_000,
  dryRunDiffBytes: 256 * 1024,
  /** What a dry run may write; less where the disk has not that much and a fifth of itself to spare. */
  dryRunBytes: 4 * 1024 ** 3,
  /** How long a call waits for a person before it answers `approval_pending`. */
  approvalWaitMs: 45_000,
  approvalExpiryMs: 24 * 60 * 60 * 1000,
  /** Reading calls reach the audit log in batches, at most this late. */
  auditBatchMs: 20,
  /** Where several servers write, records are joined to one chain at most this late. */
  auditJoinMs: 1000,
  /** How long running calls get when the server is told to stop. */
  stopGraceMs: 10_000,
  /** The same over stdio, where the client that tells it kills it two seconds later, as the SDK's does. */
  stdioStopGraceMs: 500,
} as const;
