import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import type { DescriptorSet } from '../command/output/os-pipe.ts';
import type { Folder, Place } from '../contract/capabilities/files.ts';
import { guardError, type ProgramWork, type StageArgument } from '../contract/capabilities/pipeline.ts';
import { ToolError } from '../contract/error.ts';
import { text, verbatim } from '../contract/text/text.ts';
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

/**
 * Opens every file operand inside the workspace. The program starts in a folder that contains links from the caller's
 * own names to its open descriptors: it prints those names and can reach nothing else by them. If folders are searched,
 * it starts in the real one, which its sandbox lets it read.
 */
export function resolveStage(given: ProgramWork, options: ResolveOptions): ResolvedStage {
  const { work, notes } = withoutUnreadable(given, options);
  const operands = work.args.filter((arg) => typeof arg !== 'string');
  const places = operands.map((operand) =>
    placeOf('file' in operand ? operand.file : operand.path, work.program, options),
  );
  const folders = operands.map(
    (operand, index) => !('file' in operand) && isFolder(places[index] as Place, work.program),
  );
  const named = { cwd: options.cwd, program: work.program };
  const names = operands.map((operand, index) =>
    nameOf('file' in operand ? operand.file : operand.path, places[index] as Place, named),
  );
  const walks =
    takesFolders.has(work.program) &&
    (folders.includes(true) || !operands.some((operand) => 'path' in operand));
  if (
    walks ||
    work.program === 'ls' ||
    work.program === 'find' ||
    operands.length + work.reads.length > mostOpen
  ) {
    return { ...inRealFolder(work, operands, places, names, options), notes };
  }
  return { ...inNameFolder(work, operands, places, names, options), notes };
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

function unreadableAs(place: Place, asFile: boolean): string | undefined {
  try {
    const { kind } = place.stat();
    if (kind === 'symlink') return 'Is a symbolic link';
    if (kind === 'folder') return asFile ? 'Is a directory' : undefined;
    return kind === 'file' ? undefined : 'Is not a file or folder';
  } catch {
    // The run reports the reason.
    return undefined;
  }
}

function inNameFolder(
  work: ProgramWork,
  operands: readonly StageArgument[],
  places: readonly Place[],
  names: readonly string[],
  options: ResolveOptions,
): Omit<ResolvedStage, 'notes'> {
  const open: number[] = [];
  const linked = new Map<string, string>();
  const workingFolder = join(options.nameFolder, options.cwd);
  mkdirSync(workingFolder, { recursive: true, mode: 0o700 });

  const link = (place: Place, name: string): string => {
    const known = linked.get(place.hostPath);
    if (known !== undefined && known === name) return name;
    const fd = openFile(place, work.program, options);
    open.push(fd);
    const target = `/proc/self/fd/${firstOpenDescriptor + open.length - 1}`;
    if (place.rootIndex > 0 || options.cwd.startsWith('/')) return target;
    if (known === undefined) {
      const path = join(options.nameFolder, place.path);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      symlinkSync(target, path);
      linked.set(place.hostPath, name);
    }
    return name;
  };

  const given = operands.map((_, index) => link(places[index] as Place, names[index] as string));
  const named = { cwd: options.cwd, program: work.program };
  for (const read of work.reads) {
    const place = placeOf(read, work.program, options);
    link(place, nameOf(read, place, named));
  }
  return { args: fill(work.args, given), workingFolder, open };
}

function inRealFolder(
  work: ProgramWork,
  operands: readonly Exclude<StageArgument, string>[],
  places: readonly Place[],
  names: readonly string[],
  options: ResolveOptions,
): Omit<ResolvedStage, 'notes'> {
  const open: number[] = [];
  const few = operands.length <= mostOpen;
  const given = operands.map((operand, index) => {
    const place = places[index] as Place;
    if ('file' in operand) {
      const fd = openFile(place, work.program, options);
      if (few) {
        open.push(fd);
        return `/proc/self/fd/${firstOpenDescriptor + open.length - 1}`;
      }
      options.descriptors.close(fd);
    }
    return place.rootIndex > 0 ? place.hostPath : (names[index] as string);
  });
  for (const read of work.reads) placeOf(read, work.program, options);
  return { args: fill(work.args, given), workingFolder: options.folder.at(options.cwd).hostPath, open };
}

function fill(args: readonly StageArgument[], given: readonly string[]): string[] {
  let next = 0;
  return args.map((arg) => (typeof arg === 'string' ? arg : (given[next++] ?? '')));
}

/** The name as written if it is plain; a roundabout one is normalized, and an absolute one made relative. */
function nameOf(
  written: string,
  place: Place,
  { cwd, program }: { readonly cwd: string; readonly program: string },
): string {
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

function symlinkEscape(path: string): ToolError {
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
  return new ToolError('STAGE_FAILED', text(`${stderr}.`, `${command}: ${path} を読めません (${why})。`), {
    suggestion: verbatim(search),
    wire: {
      code: 'STAGE_FAILED',
      reason: 'STAGE_FAILED',
      detail: stderr,
      suggestion: search,
      stage: command,
      stderr,
    },
  });
}
