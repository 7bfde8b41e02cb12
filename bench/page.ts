import { replaySection } from './replay/results.ts';
import { keptResults, resultTables } from './results.ts';

/** `docs/performance.md`: the newest kept results, and what they cannot say by themselves. */
export function performancePage(): string {
  const { commit, machine, rows } = keptResults();
  return `# Performance

Figures are ratios taken in one run on one machine, against a peer (the program that you would otherwise use) or a floor
(the least that the machine must do). Both sides run in turns through the same raw client, so that both meet the same
noise, and each answer is checked: a fast wrong answer fails the row. Ours is the whole product, with judgement, walls
and audit. A row passes where its goal is met; one that does not says "over", and stays in the table.

\`\`\`
npm run bench                        # all rows, about five minutes
npm run bench -- read-4k search      # these rows
BENCH_FULL=1 npm run bench           # the large sizes as well: 1 GB, 1,000,000 memories
\`\`\`

Taken at ${commit} on ${machine}.

${resultTables(rows)}
${replaySection()}
${notes}`;
}

const notes = `## What a call costs

The three largest costs of each hot call, from \`node --cpu-prof\` on the built server. Shares are of the time in which
the server is not idle.

| call | largest | second | third |
| --- | --- | --- | --- |
| read 4 KiB over stdio | hand the reply to the pipe, which wakes the client: 40 % | walk to the file by descriptors and open it: 14 % | make the reply's JSON: 6 %; a text that stands in it twice is escaped once |
| write a new 4 KiB file | two waits for the disk, one after another: the content; then its folder beside the records | make the temporary file: 0.04 ms, or 1 ms where ext4 steps over thousands of inodes that were freed in the last minutes | one transaction for history and audit log: 10 % |
| start and list the tools | Node itself: 40 ms of 120 | load zod and make the schemas of the tools that are served | read flags and settings |

A write is acknowledged when the file's content, its name and its record would each survive a power cut, and the content
is on the disk before it takes the name: a crash shows the old file or the new one, never half of one. The peer does not
wait for the disk at all; what the row shows beyond its time is that wait, which another row holds against the same syncs
written by hand. History and audit share one, and so do calls that run at the same time.

A claim and its end are two transactions, 15 statements beside their begin and commit. The lock of the one file is held for
the statements and not for the disk: the sync comes after it, and whoever waits in the same process shares it. The row holds
that against two bare statements, each synced by SQLite under the lock: 230 to 2,400 such pairs a second here, as busy as
the disk was, while ours gave 430 to 580, whose limit are the two cores. Without any sync the bare statements reach 5,600:
10,000 durable claims a second are beyond this machine.

## Claims on PostgreSQL

A claim and a report are a transaction of two statements each, sent in one write by a connection that all calls of a server
share: \`begin\`, the lock of what is decided on, the statement that decides, changes and tells, \`commit\`. What calls ask in one turn
of the event loop goes out together. The commit does not wait for the disk; the call's record, which waits, does so for both,
and records of calls that run at the same time share one statement and one sync. Before, a claim was eleven trips.

\`EXPLAIN (ANALYZE, BUFFERS)\` of the statements as they stand in \`src/store/postgres/quick-team.ts\`, PostgreSQL 18, after
\`vacuum analyze\`, 2,000 free tasks:

| statement | 10 agents, 1,000 finished tasks | 10 and 100,000 | 1,000 and 100,000 | 10,000 and 1,000,000 |
| --- | --- | --- | --- | --- |
| look a session up | 2 pages, 0.07 ms | 2 pages, 0.11 ms | 6 pages, 0.07 ms | 7 pages, 0.07 ms |
| claim | 33 pages, 0.49 ms | 38 pages, 0.54 ms | 42 pages, 0.57 ms | 45 pages, 0.58 ms |
| report | 24 pages, 0.21 ms | 26 pages, 0.27 ms | 28 pages, 0.25 ms | 31 pages, 0.33 ms |

No step of them reads more rows than one where there are many: the free task comes from the index of free tasks (\`tasks_free\`,
3 pages), what the agent has in progress from \`tasks_by_assignee\`, everything else by its id. The few pages more are levels of
the indexes. In a table of ten agents PostgreSQL reads all ten.

## What grows, and with what

| operation | grows with | why |
| --- | --- | --- |
| read lines of a file | what is returned | small files are read whole; a large one is counted once and keeps an index of its lines |
| read a large file for the first time | its size | every line is counted once, in slices, while other calls are served |
| write a new file | its size | nothing lists the folder; what an edit replaces is kept for undoing |
| edit a file | its size | the new content is written whole, then takes the name |
| list a folder | its entries | sorted, a page at a time |
| find names, search content | the tree | ripgrep walks it; nothing is indexed, so nothing is stale |
| recall | how many memories share the rarer words of the question, and how common its words are: 23 ms of CPU over 1,000,000 | a full-text index finds candidates, a second stage ranks them; what is left to grow is counting each word |
| recall by meaning, beside the former (\`memory.embeddings\`) | the user's memories: 5 ms of CPU over 10,000, 12 over 100,000, 80 over 1,000,000, in slices, between which others are served: none waited over 25 ms at a million | the signs of all vectors are kept in memory and compared with the question's; the 300 nearest are ranked by the vectors themselves. The first question after a start reads the signs (0.06 s, 0.25 s, 2.3 s), and words answer until they are there |
| a command, beside what it does itself | what it changes | it runs on a layer, and what lies there is put in place and kept for undoing |
| a command without a layer (in the background, say) | the entries of the roots | they are looked at before and after, for undoing: up to 250 without a process, more by find; what changed since the last look is compared |
| claim a task | the tasks that wait for others, before a free one | an index leads to the first free task and to what the agent has in progress; what it finished is not read |
| wait for a change | nothing while nothing happens | a file beside the database (SQLite) or NOTIFY (PostgreSQL) names what changed: 5 to 10 ms to another process |
| any call | not with the calls before it | the audit log is appended to; only its head is read |
| resident memory | not with the calls before it | what lives is the same after 100,000 calls (13 MB); V8's room for young objects is kept from doubling |
`;
