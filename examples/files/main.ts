/** Opens files below a folder while another program swaps the folder for a link that leads out. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { openWorkspace, ToolError } from 'sekisho/files';

const top = mkdtempSync(join(tmpdir(), 'sekisho-files-'));
const root = join(top, 'uploads');
mkdirSync(join(root, 'in'), { recursive: true });
mkdirSync(join(top, 'private'));
writeFileSync(join(root, 'in/report.txt'), 'from the folder');
writeFileSync(join(top, 'private/report.txt'), 'SECRET');

const { folder, close } = openWorkspace({ roots: [{ path: root, writable: true }] });
try {
  // A path becomes a place, and a place is the only way to a file.
  const written = await folder.at('notes/today.md').create('# Today\n');
  console.log(`written: ${written.bytes} bytes`);
  console.log(`read: ${(await folder.at('notes/today.md').readText()).text.trim()}`);

  for (const path of ['../private/report.txt', '/etc/passwd', 'notes/today.md\0']) {
    try {
      folder.at(path);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      console.log(`refused: ${error.code}`);
    }
  }

  let swaps = 0;
  let isOver = false;
  const swapping = (async () => {
    for (; !isOver; swaps++) {
      renameSync(join(root, 'in'), join(root, 'aside'));
      symlinkSync(join(top, 'private'), join(root, 'in'));
      await setImmediate();
      unlinkSync(join(root, 'in'));
      renameSync(join(root, 'aside'), join(root, 'in'));
      await setImmediate();
    }
  })();
  const told = { read: 0, refused: 0, leaked: 0 };
  for (let tries = 0; tries < 2000; tries++) {
    await setImmediate();
    try {
      const bytes = await folder.at('in/report.txt').readBytes();
      if (bytes.includes('SECRET')) told.leaked++;
      else told.read++;
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      told.refused++;
    }
  }
  isOver = true;
  await swapping;
  console.log(`swapped: ${swaps > 0 && told.read > 0 && told.refused > 0}, leaked: ${told.leaked}`);
} finally {
  close();
  rmSync(top, { recursive: true });
}
