/**
 * Loaded into a server with `--import`: writes to the file `LOOP_HOLDS`, a line each, how long its main thread has computed
 * without a turn of the event loop, in milliseconds. Its own work is counted, so that a busy machine does not matter.
 */
import { appendFileSync } from 'node:fs';

const file = process.env.LOOP_HOLDS ?? '';
const everyMs = 5;
const worthMs = 20;
let before = used();

setInterval(() => {
  const heldMs = used() - before;
  if (heldMs > worthMs) appendFileSync(file, `${heldMs}\n`);
  before = used();
}, everyMs).unref();

/** A timer that is due comes once the loop turns; what runs between two is one turn, or a few short ones. */
function used(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
