import { once } from 'node:events';
import pg from 'pg';

/** The same by bare statements, each committed by itself: a claim, an end, and a row for each of the two calls. */
const [url = '', , first = '', last = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10 });
await pool
  .query(`create table if not exists bare_log (id bigint generated always as identity, body text)`)
  .catch(() => {});
const agents = Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => `p${Number(first) + at}`);
const body = 'x'.repeat(600);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
process.stdin.destroy();
await Promise.all(
  agents.map(async (agent) => {
    for (;;) {
      const { rows } = await pool.query(
        `update tasks set status = 'in_progress', assignee_id = $1, fence = fence + 1
         where id = (select id from tasks where project_id between 'p' and 'p' and status = 'todo' and assignee_id is null
                     order by project_id, seq limit 1 for update skip locked) returning id`,
        [agent],
      );
      await pool.query('insert into bare_log (body) values ($1)', [body]);
      if (!rows[0]) return;
      await pool.query(`update tasks set status = 'done', result = 'success' where id = $1`, [rows[0].id]);
      await pool.query('insert into bare_log (body) values ($1)', [body]);
      process.stdout.write(`claimed ${rows[0].id}\n`);
    }
  }),
);
process.stdout.write('over\n');
await pool.end();
