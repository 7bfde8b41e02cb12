import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import type { DescriptorSet } from '../command/output/os-pipe.ts';
import type { Folder, Place } from '../contract/capabilities/files.ts';
import { guardError, type ProgramWork, stageError } from '../contract/capabilities/pipeline.ts';
import { ToolError } from '../contract/error.ts';
import { text, verbatim } from '../contract/text/text.ts';
import { orElse } from '../ground/or-else.ts';
import { firstOpenDescriptor } from './stage-shell.ts';

/** A stage's arguments for the program, its working folder, and its open files. */
export interface ResolvedStage {
  readonly args: readonly string[];
  readonly workingFolder: string;
  /** Descriptors for the child, from `firstOpenDescriptor` on. */
  readonly open: readonly number[];
  /** Notes on operands that were left out, in the program's words. */
  readonly notes: readonly string[];
}

export interface ResolveOptions {
  readonly folder: Folder;
  readonly cwd: string;
  /** A separate folder of this stage with links from names to open files. */
  readonly nameFolder: string;
  readonly descriptors: DescriptorSet;
}

/** The most files to pass open; a longer list is checked and passed by name. */
const mostOpen = 128;

const takesFolders = new Set(['rg', 'grep', 'ls', 'find']);

/** An operand that is a file to read, or a file or folder to name. */
interface Operand {
  readonly asFile: boolean;
  readonly place: Place;
  readonly name: string;
}

/**
 * Opens every file operand inside the workspace. The program starts in a folder that contains links from the caller's
 * own names to its open descriptors: it prints those names and can reach nothing else by them. If folders are searched,
 * it starts in the real one, which its sandbox lets it read.
 */
export function resolveStage(given: ProgramWork, options: ResolveOptions): ResolvedStage {
  const { work, notes } = withoutUnreadable(given, options);
  const { program, args, reads } = work;
  const operandOf = (path: string, asFile: boolean): Operand => {
    const place = placeOf(path, program, options);
    return { asFile, place, name: nameOf(path, place, options.cwd, program) };
  };
  const operands = args.flatMap((arg) =>
    typeof arg === 'string' ? [] : [operandOf('file' in arg ? arg.file : arg.path, 'file' in arg)],
  );
  const read = reads.map((path) => operandOf(path, true));
  const folders = operands.filter(({ asFile, place }) => !asFile && isFolder(place, program));
  const walks = takesFolders.has(program) && (folders.length > 0 || operands.every(({ asFile }) => asFile));
  const isReal = walks || program === 'ls' || program === 'find' || operands.length + reads.length > mostOpen;
  const { names, ...where } = isReal
    ? inRealFolder(program, operands, options)
    : inNameFolder(program, operands, read, options);
  let next = 0;
  const filled = args.map((arg) => (typeof arg === 'string' ? arg : (names[next++] ?? '')));
  return { ...where, args: filled, notes };
}

/** A pattern also matches folders and links. They are left out if it matches readable files, too. */
function withoutUnreadable(
  work: ProgramWork,
  options: ResolveOptions,
): { readonly work: ProgramWork; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const args = work.args.filter((arg) => {
    if (typeof arg === 'string' || !arg.globbed) return true;
    const path = 'file' in arg ? arg.file : arg.path;
    const why = unreadableAs(placeOf(path, work.program, options), 'file' in arg);
    if (why !== undefined) notes.push(`${work.program}: ${path}: ${why}`);
    return why === undefined;
  });
  const isLeft = args.some((arg) => typeof arg !== 'string' && arg.globbed);
  return isLeft ? { work: { ...work, args }, notes } : { work, notes: [] };
}

/** Undefined for one that cannot be looked at: the run reports the reason. */
function unreadableAs(place: Place, asFile: boolean): string | undefined {
  const kind = orElse(() => place.stat().kind, undefined);
  if (kind === 'symlink') return 'Is a symbolic link';
  if (kind === 'folder') return asFile ? 'Is a directory' : undefined;
  return kind === 'other' ? 'Is not a file or folder' : undefined;
}

function inNameFolder(
  program: string,
  operands: readonly Operand[],
  read: readonly Operand[],
  options: ResolveOptions,
) {
  const open: number[] = [];
  const linked = new Map<string, string>();
  const workingFolder = join(options.nameFolder, options.cwd);
  mkdirSync(workingFolder, { recursive: true, mode: 0o700 });

  const link = ({ place, name }: Operand): string => {
    const known = linked.get(place.hostPath);
    if (known === name) return name;
    const target = opened(place, program, open, options);
    if (place.rootIndex > 0 || options.cwd.startsWith('/')) return target;
    if (known === undefined) {
      const path = join(options.nameFolder, place.path);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      symlinkSync(target, path);
      linked.set(place.hostPath, name);
    }
    return name;
  };
  const names = operands.map(link);
  for (const each of read) link(each);
  return { names, workingFolder, open };
}

function inRealFolder(program: string, operands: readonly Operand[], options: ResolveOptions) {
  const open: number[] = [];
  const few = operands.length <= mostOpen;
  const names = operands.map(({ asFile, place, name }) => {
    if (asFile && few) return opened(place, program, open, options);
    // Opened for its errors alone.
    if (asFile) options.descriptors.close(openFile(place, program, options));
    return place.rootIndex > 0 ? place.hostPath : name;
  });
  return { names, workingFolder: options.folder.at(options.cwd).hostPath, open };
}

/** Opens a file for the child, and returns the path by which it finds it. */
function opened(place: Place, program: string, open: number[], options: ResolveOptions): string {
  open.push(openFile(place, program, options));
  return `/proc/self/fd/${firstOpenDescriptor + open.length - 1}`;
}

/** The name as written if it is plain; a roundabout one is normalized, and an absolute one made relative. */
function nameOf(written: string, place: Place, cwd: string, program: string): string {
  const plain = posix.normalize(written);
  const name =
    !written.startsWith('/') && (plain === written || written === `./${plain}`)
      ? written
      : posix.relative(cwd === '.' ? '' : cwd, place.path) || '.';
  // These two have no `--` to end their options with.
  return name.startsWith('-') && (program === 'jq' || program === 'find') ? `./${name}` : name;
}

/** The place that an operand names; throws the guard's error if it is outside. */
export function placeOf(
  path: string,
  command: string,
  { folder, cwd }: Pick<ResolveOptions, 'folder' | 'cwd'>,
): Place {
  try {
    return folder.at(path, { base: cwd });
  } catch (error) {
    throw escaped(error, path, command);
  }
}

/** Whether the operand is a folder. Links, special files and missing ones are refused with the pipeline's errors. */
export function isFolderAt(
  path: string,
  command: string,
  options: Pick<ResolveOptions, 'folder' | 'cwd'>,
): boolean {
  return isFolder(placeOf(path, command, options), command);
}

function openFile(place: Place, command: string, { descriptors }: ResolveOptions): number {
  try {
    return descriptors.hold(place.openRead());
  } catch (error) {
    throw escaped(error, place.shown, command);
  }
}

function isFolder(place: Place, command: string): boolean {
  try {
    const { kind } = place.stat();
    if (kind === 'symlink') throw symlinkEscape(place.shown);
    if (kind === 'other') throw notReadable(place.shown, command, 'is not a file or folder');
    return kind === 'folder';
  } catch (error) {
    throw escaped(error, place.shown, command);
  }
}

/** Converts an error of the walk to the pipeline's own reply. */
export function escaped(error: unknown, path: string, command: string): unknown {
  if (!(error instanceof ToolError)) return error;
  switch (error.code) {
    case 'out_of_scope':
    case 'invalid_path':
      return guardError(
        'PATH_ESCAPE',
        text(`${path} is outside the workspace.`, `${path} は作業フォルダーの外です。`),
        /^\/(dev\/(stdin|fd\/0)|proc\/self\/fd\/0)$/.test(path)
          ? text(
              'Piped input is named -, or not named at all.',
              'パイプからの入力は - と書くか、省略してください。',
            )
          : text(
              'Name a path below the working folder; ls shows what is there.',
              '作業フォルダー以下のパスを指定してください (ls で確認できます)。',
            ),
        false,
      );
    case 'forbidden':
      return symlinkEscape(path);
    case 'not_found':
      return notReadable(path, command, 'No such file or directory');
    case 'unsupported_type':
      return notReadable(path, command, 'is not a regular file');
    default:
      return error;
  }
}

export function symlinkEscape(path: string): ToolError {
  return guardError(
    'SYMLINK_ESCAPE',
    text(
      `${path} is or goes through a symbolic link, which may lead outside.`,
      `${path} はシンボリックリンクを通るため読めません。`,
    ),
    text(
      'Name the file itself; ls -l shows where links point.',
      '実体のファイルを指定してください (ls -l でリンク先が分かります)。',
    ),
    false,
  );
}

function notReadable(path: string, command: string, why: string): ToolError {
  const stderr = `${command}: ${path}: ${why}`;
  const name = posix.basename(path);
  // A command that finds the name elsewhere; for names that a shell would interpret, just `ls`.
  const search = /^[\p{L}\p{N}._-]+$/u.test(name) && !name.startsWith('-') ? `fd -u -g ${name}` : 'ls';
  const message = text(`${stderr}.`, `${command}: ${path} を読めません (${why})。`);
  return stageError(message, verbatim(search), { detail: stderr, stage: command, stderr });
}
