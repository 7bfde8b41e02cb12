import { replaySection } from './replay/results.ts';
import { keptResults, type Measured, resultTables } from './results.ts';

/** `docs/performance.md`: the newest kept results, and what they cannot say by themselves. */
export function performancePage(): string {
  const { commit, machine, rows } = keptResults();
  return `# Performance

Figures compare Sekisho with a peer (the program that you would otherwise use) or a floor (the least that the machine must do),
in one run on one machine. Both sides run in turns through the same raw client, so that they face the same noise, and every
answer is checked: a row with a wrong answer fails, however fast it is. Sekisho runs as a whole, with judgement, sandbox and
audit log. A row that misses its goal says "over" and stays in the table.

\`\`\`
npm run bench                        # all rows, about five minutes
npm run bench -- read-4k search      # these rows
BENCH_FULL=1 npm run bench           # the large sizes as well: 1 GB, 1,000,000 memories
\`\`\`

Taken at ${commit} on ${machine}.${later(rows)}

${resultTables(rows)}
${replaySection()}
${notes}`;
}

/** Which were taken by themselves. */
function later(rows: readonly Measured[]): string {
  const alone = rows.filter((row) => row.commit !== undefined);
  if (alone.length === 0) return '';
  const named = alone.map(({ name, commit }) => `\`${name}\` (${commit})`).join(', ');
  return ` Taken later, beside other work on the same machine: ${named}.`;
}

const notes = `## What a call costs

The three largest costs of each frequent call, from \`node --cpu-prof\` on the built server. Shares are of the time in which
the server is not idle.

| call | largest | second | third |
| --- | --- | --- | --- |
| read 4 KiB over stdio | writing the reply to the pipe, which wakes the client: 40 % | walking to the file through descriptors and opening it: 14 % | building the reply's JSON: 6 %; a text that appears in it twice is escaped once |
| write a new 4 KiB file | two waits for the disk, one after the other: first the note that the call begins and the content, then its folder and the records | creating the temporary file: 0.04 ms, or 1 ms if ext4 has to skip thousands of inodes freed in the last minutes | one transaction for history and audit log: 10 % |
| start and list the tools | Node itself: 40 ms of 120 | loading zod and building the schemas of the tools | reading flags and settings |

A write is acknowledged once the file's content, its name and its record would each survive a power cut. The content is on disk
before the file is renamed into place, so a crash leaves the old file or the new one, never half of one. The peer does not wait
for the disk at all. The additional time in that row is this wait; another row compares it with the same syncs written by hand.
History and audit log share one sync, and so do calls that run at the same time.

A claim and its report are two transactions with 15 statements, not counting begin and commit. The lock on the database file is
held for the statements but not for the disk: the sync follows, and other calls waiting in the same process share it. The row
compares this with two bare statements, each synced by SQLite under the lock. On this machine, they reach 230 to 2,400 such
pairs a second, depending on how busy the disk is, and Sekisho reaches 430 to 580, limited by the two cores. Without any sync,
the bare statements reach 5,600, so 10,000 durable claims a second are out of reach here.

## What is left where a row is over

System calls are counted with \`strace -c -f\`, over 200 calls and more.

| row | what is left |
| --- | --- |
| overwrite, against its syncs by hand | 154 system calls where 8 do by hand. By hand waits for the disk three times, ours twice, but ours syncs five files in these waits: the note that the call begins, the former content, which is kept for undo, and the new content; the folder with the log. 22 writes are at a position in a file: 6 of notes, 16 for the 8 pages that the change, its indexes and the record take in SQLite's log. Syncs and one close are handed to threads, which wake each other: 34 calls of \`futex\`. On a file system in memory, where a sync costs nothing, an overwrite took 24 to 45 times as long as by hand beside other work: what is left is processor time, not the disk |
| write a new file | 101 system calls, 4 syncs in the same two waits, the same 22 writes |
| edit, against its syncs by hand | the same, and the whole content is read and hashed twice, decoded, and written twice: in place, and what it was for undo |
| an edit that fits nowhere | no sync; folding the whole file by the loosest rule and looking for each word of the text that was sought |
| HTTP | 15 system calls for a read: 8 on the file, 2 on the socket, the rest for the note, the token and the log. A quarter to a third of the time is writing the reply to the socket. A bare handler of Node that reads the file and answers took 90 to 156 µs of CPU in a run in which the SDK's took 611 to 778, so four times the SDK's rate leaves little over a bare handler |
| claims through MCP over HTTP | 1.6 to 1.75 ms of the servers' JavaScript for a claim with its report, measured beside other work, spread thin: no function takes more than 3 % of it by itself, but for collecting garbage (12 %). The database takes twice the time of bare statements: the session is looked up for each call, and a claim looks for what the task depends on and has parts of |
| list 10,000 entries | 418 KB of reply, since each name is told twice: in words and as data. Reading the folder is 3 ms in the kernel for either side |
| install 20,000 files, until the command has ended | overlayfs itself: \`tar\` alone took 0.79 s of CPU, in bubblewrap 0.82 s, and in bubblewrap on an overlay without any part of Sekisho 1.14 s (medians of five, in turns, beside other work) |
| 1 MB of output | \`true\` alone, in its sandbox, takes more than half of the time. Of the rest, by profile: garbage 2 ms, writing 1.03 MB of JSON to the pipe 1.7, escaping it 1.4, looking for what a terminal would obey 0.8, decoding 0.6 |
| ping while ten other operations run | no single part holds the loop: a ping waits until all that is ready of the ten operations has run |
| a common word | about 55 pages, each of which is a call with its record and gives 180 lines; the search itself runs once |
| first read of a large file or note | lines are indexed as they are counted, in slices between which other calls are served |
| idle memory | Node alone holds 42 of the 87 MiB |
| a hop, p99 | writing to two pipes, each of which wakes a process, is a quarter of the server's time |

## Claims on PostgreSQL

A claim and a report are each a transaction of two statements, sent in one message over a connection that all calls of a server share
and that has planned both: the lock on the rows concerned, and the statement that decides and makes the change. The database answers
once, and commits. Whatever calls request in the same turn of the event loop is sent together. The commit does not wait for the disk. The call's record does, which covers
both, and records of calls that run at the same time share one statement and one sync. Previously, a claim took eleven round trips.

\`EXPLAIN (ANALYZE, BUFFERS)\` of the statements in \`src/store/postgres/quick-team.ts\`, PostgreSQL 18, after \`vacuum analyze\`, with
2,000 free tasks:

| statement | 10 agents, 1,000 finished tasks | 10 and 100,000 | 1,000 and 100,000 | 10,000 and 1,000,000 |
| --- | --- | --- | --- | --- |
| look a session up | 2 pages, 0.07 ms | 2 pages, 0.11 ms | 6 pages, 0.07 ms | 7 pages, 0.07 ms |
| claim | 33 pages, 0.49 ms | 38 pages, 0.54 ms | 42 pages, 0.57 ms | 45 pages, 0.58 ms |
| report | 24 pages, 0.21 ms | 26 pages, 0.27 ms | 28 pages, 0.25 ms | 31 pages, 0.33 ms |

No step reads more rows as tables grow: the free task comes from the index of free tasks (\`tasks_free\`, 3 pages), the agent's
tasks in progress from \`tasks_by_assignee\`, and everything else by its id. This does not depend on how old PostgreSQL's statistics are:
the claim asks in an order that only \`tasks_free\` has, and its connection sorts nothing that an index holds in order
(\`test/store/plans.test.ts\`). The additional pages are levels of the indexes. If the table has only ten agents, PostgreSQL reads all ten.

![The cost of a claim with its report stays level from 10 to 10,000 agents and from 1,000 to 1,000,000 finished tasks](claims-growth.svg)

One agent claims and reports, one task after another; the other agents and the finished tasks are in the database. All sizes are
measured in turns. With 1,000,000 finished tasks, the indexes do not fit into the 128 MB of \`shared_buffers\` that PostgreSQL has by
default. Ids of tasks are random, so each claim with its report reads 0.3 pages from the operating system's cache (\`pg_stat_io\`);
with ids that begin with the time, the cost at that size was the same within what one run differs from another.

## How costs grow

| operation | grows with | why |
| --- | --- | --- |
| read lines of a file | what is returned | small files are read completely; the lines of a large file are counted once and indexed |
| read a large file for the first time | its size | every line is counted once, in slices, while other calls are served |
| write a new file | its size | the folder is not listed; content that is replaced is kept for undo |
| edit a file | its size | the whole new content is written, then renamed into place |
| list a folder | its entries | they are sorted, and returned a page at a time |
| find names, search content | the tree | ripgrep walks it; there is no index that could be out of date |
| recall | the number of memories that contain the query's rarer words, and how common its words are: 23 ms of CPU with 1,000,000 | a full-text index finds candidates, and a second stage ranks them; only counting each word still grows |
| recall by meaning, in addition to the above (\`memory.embeddings\`) | the user's memories: 5 ms of CPU with 10,000, 12 with 100,000, 80 with 1,000,000, in slices between which other calls are served: at a million, none waited more than 25 ms | the signs of all vectors are kept in memory and compared with those of the query; the 300 nearest are ranked by the vectors themselves. The first query after a start loads the signs (0.06 s, 0.25 s, 2.3 s); until then, only words are used |
| a command, apart from its own work | the size of its changes | it runs on a layer; the changes are then put in place and kept for undo |
| a command without a layer (for example in the background) | its calls that can destroy something | a thread of the server keeps what was there and makes each call for it; no folder is looked through before or after |
| claim a task | the waiting tasks before the first free one | an index leads to the first free task and to the agent's tasks in progress; finished tasks are not read |
| wait for a change | nothing, as long as nothing happens | a file next to the database (SQLite) or NOTIFY (PostgreSQL) reports changes: 5 to 10 ms to another process |
| any call | not with the number of earlier calls | records are appended to the audit log; only its head is read |
| resident memory | not with the number of earlier calls | the live heap is the same after 100,000 calls (13 MB); V8's space for young objects is kept from doubling |
`;
