import {
  accessSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../contract/error.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import { type Text, text } from '../contract/text/text.ts';
import { errnoCode } from '../ground/errors/errno-code.ts';
import { randomId } from './random-id.ts';
import { keyFolderOf, nameOf, type Target, targetOf } from './target.ts';

/** Checks before anything heavy is loaded that records can be written. An `Error`, since no setting is wrong. */
export function assertUsable(url: string, stateFolder: string | undefined): void {
  const target = targetOf(url);
  const folders = new Set([keyFolderOf(target, stateFolder)]);
  if (target.kind === 'sqlite') folders.add(dirname(target.path));
  if (stateFolder !== undefined) makeStateFolder(stateFolder);
  for (const folder of folders) {
    makeFolder(folder);
    assertTakesFiles(folder);
  }
  if (target.kind === 'sqlite') assertDatabase(target.path);
}

/** Creates a folder that others on the machine cannot read. An existing one keeps its mode: it may be shared. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = errnoCode(error);
    throw new ConfigError(
      `The state folder ${folder} cannot be made (${code}). Name another with --state, or \`state\` in the configuration.`,
      `状態フォルダー ${folder} を作成できません（${code}）。--state または設定の \`state\` で別の場所を指定してください。`,
      { cause: error },
    );
  }
}

/** The same for a folder that only we may access: it contains keys and sealed records. */
export function makeStateFolder(folder: string): void {
  makeFolder(folder);
  assertOurs(folder);
}

/** Others could read, replace or redirect its contents. Root can anyway. */
function assertOurs(folder: string): void {
  const [us, group] = [process.geteuid?.(), process.getegid?.()];
  if (us === undefined) return;
  const { uid, gid, mode } = statSync(folder);
  if (uid !== us && uid !== 0) throw notOurs(folder, words.owner(uid));
  const isSharedGroup = gid !== group && !(uid === 0 && process.getgroups?.().includes(gid));
  if (mode & 0o002 || (mode & 0o020 && isSharedGroup)) throw notOurs(folder, words.writable);
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) =>
    entry.isSymbolicLink(),
  ))
    throw notOurs(folder, words.link(name));
}

function notOurs(folder: string, why: Text): ConfigError {
  return new ConfigError(
    `The state folder ${folder} is not used: ${why.en}. Mend that, or name another with --state, or \`state\` in the configuration.`,
    `状態フォルダー ${folder} は使用しません: ${why.ja}。修正するか、--state または設定の \`state\` で別の場所を指定してください。`,
  );
}

const words = {
  owner: (uid: number) =>
    text(`it belongs to another user (${uid})`, `別のユーザー（${uid}）が所有しています`),
  writable: text('other users can write to it', 'ほかのユーザーが書き込めます'),
  link: (name: string) => text(`${cleanLine(name)} in it is a link`, `中の ${cleanLine(name)} がリンクです`),
};

/** Why the records cannot be opened, and what to do about it. */
export function openingProblem(target: Target, error: unknown): Error {
  const { errcode, code, message } = (error ?? {}) as { errcode?: number; code?: string; message?: string };
  const remedy =
    target.kind === 'postgres'
      ? 'Is the database there, and may this user write to it?'
      : (remedies.get((errcode ?? 0) & 0xff) ?? 'Is it a file, and may this user write to it?');
  const reason = (message || code || String(error)).replace(/\.$/, '');
  return new Error(`The records cannot be opened: ${nameOf(target)}: ${reason}. ${remedy}`, { cause: error });
}

function assertTakesFiles(folder: string): void {
  const probe = join(folder, `.probe-${randomId('', 12)}`);
  let file: number | undefined;
  try {
    file = openSync(probe, 'wx', 0o600);
    if (writeSync(file, Buffer.alloc(probeBytes, 1)) < probeBytes) throw noSpace();
  } catch (error) {
    const code = errnoCode(error) ?? '';
    throw new Error(`Nothing can be written to the state folder ${folder}: ${problems.get(code) ?? code}.`, {
      cause: error,
    });
  } finally {
    if (file !== undefined) {
      closeSync(file);
      rmSync(probe, { force: true });
    }
  }
}

function assertDatabase(path: string): void {
  const target: Target = { kind: 'sqlite', path };
  let file: number | undefined;
  try {
    accessSync(path, constants.W_OK);
    file = openSync(path, 'r');
    const header = Buffer.alloc(magic.length);
    const read = readSync(file, header);
    // An empty file becomes a database.
    if (read > 0 && !header.equals(magic))
      throw Object.assign(new Error('file is not a database'), { errcode: notADatabase });
  } catch (error) {
    if (errnoCode(error) !== 'ENOENT') throw openingProblem(target, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function noSpace(): Error {
  return Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
}

const another = 'or name another with --state';
const problems = new Map([
  ['ENOSPC', `its disk is full. Free space there, ${another}`],
  ['EDQUOT', `the quota of its disk is used up. Free space there, ${another}`],
  ['EROFS', `its file system is read-only. Mount it writable, ${another}`],
  ['EACCES', `this user may not. Give the folder to this user, ${another}`],
  ['EPERM', `this user may not. Give the folder to this user, ${another}`],
]);

const corrupt = 11;
const full = 13;
const notADatabase = 26;
const bringBack =
  'Restore the file from a backup. To start over, move it away together with the audit.key of its state folder.';
const remedies = new Map([
  [corrupt, bringBack],
  [notADatabase, bringBack],
  [full, 'Free space on its disk.'],
]);

const magic = Buffer.from('SQLite format 3\0');
/** A new database takes several times as much; if this does not fit, nothing does. */
const probeBytes = 65_536;
