/** Runs commands behind walls, looks at what they did, and keeps one of them: `sekisho/command` without a server. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWalls } from 'sekisho/command';

const place = await mkdtemp(join(tmpdir(), 'sekisho-example-'));
const [folder, layers] = [join(place, 'project'), join(place, 'layers')];
await mkdir(folder);
await mkdir(layers);
for (const month of ['april', 'may', 'june', 'july'])
  await writeFile(join(folder, `${month}.csv`), 'tide,cm\n');

const walls = await openWalls({ folders: [folder], layers });
try {
  const { decision, because } = walls.read('sudo rm -rf /');
  console.log('sudo rm -rf /:', decision, `(${because.en})`);

  // A script whose words say nothing of what it does.
  const careless = await walls.run('for f in $(ls); do unlink "$f"; done');
  console.log('careless:', careless.verdict.decision, `(${careless.verdict.because.en})`);
  await careless.discard();
  console.log('after discarding:', (await readdir(folder)).length, 'files');

  const wanted = await walls.run('cat *.csv | sort -u > all.csv; echo x > /etc/motd');
  for (const { change, path } of wanted.effects.changes) console.log('wanted:', change, path);
  await wanted.keep();
  console.log('after keeping:', existsSync(join(folder, 'all.csv')) ? 'all.csv is there' : 'it is missing');
} finally {
  await walls.close();
  await rm(place, { recursive: true, force: true });
}
