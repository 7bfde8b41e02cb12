import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';

/** The least that a durable claim and its end cost: two bare statements, each committed and synced by SQLite itself. */
const [path = '', agentId = ''] = process.argv.slice(2);
const database = new DatabaseSync(path, { timeout: 30_000 });
database.exec('pragma journal_mode=wal; pragma synchronous=full');
const claim = database.prepare(
  `update tasks set status = 'in_progress', assignee_id = ?, fence = fence + 1
   where id = (select id from tasks where project_id = 'p' and status = 'todo' and assignee_id is null order by seq limit 1)
   returning id`,
);
const finish = database.prepare(`update tasks set status = 'done', result = 'success' where id = ?`);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
for (let task = claim.get(agentId); task; task = claim.get(agentId)) {
  process.stdout.write(`claimed ${task.id}\n`);
  finish.run(String(task.id));
}
database.close();
