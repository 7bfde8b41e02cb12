import { isInside } from '../../ground/inside.ts';
import { systemFolders } from './system-paths.ts';

/** The circumstances of a failed command. */
export interface WallScene {
  readonly home: string;
  /** Its own /tmp and its other visible paths: the roots, folders of tools, and those that the operator lists. */
  readonly seen: readonly string[];
  /** The sandbox refuses access instead of hiding files (Landlock). */
  readonly refuses: boolean;
  /** Did it fail, so that the sandbox may be the reason? */
  readonly failed: boolean;
  /** Restrictions that the session was told about. */
  readonly told: Set<string>;
}

/**
 * Notes for a command whose output shows which restriction it met: each once a session. Only the output is read:
 * checking the machine would tell a command which files exist.
 */
export function wallNotes(outputs: readonly string[], scene: WallScene): readonly string[] {
  const lines = outputs.flatMap((output) => output.slice(-lastChars).split('\n'));
  return walls.flatMap(({ name, met, note, evenInSuccess }) => {
    if (!scene.failed && !evenInSuccess) return [];
    const hit = scene.told.has(name) ? undefined : lines.find((line) => met(line, scene));
    if (hit === undefined) return [];
    scene.told.add(name);
    return [`[walls: ${typeof note === 'string' ? note : note(hit)}]\n`];
  });
}

/** A failing program gives the reason at its end. */
const lastChars = 16_384;

interface Wall {
  readonly name: string;
  met(line: string, scene: WallScene): boolean;
  readonly evenInSuccess?: true;
  /** A function if the line contains a name that the note must repeat. */
  readonly note: string | ((line: string) => string);
}

const walls: readonly Wall[] = [
  {
    name: 'home',
    met: (line, { home }) => isMissing.test(line) && pathsIn(line).some((path) => isInside(path, home)),
    note: "HOME is a folder of the session's own that begins empty; the operator can show commands folders of theirs by process.readable and variables by process.environment",
  },
  {
    name: 'hidden',
    met: (line, { home, seen, refuses }) =>
      (isMissing.test(line) || (refuses && isRefused.test(line))) &&
      pathsIn(line).some((path) => ![home, ...seen, ...everyones].some((folder) => isInside(path, folder))),
    note: 'commands see the roots, /tmp and the programs of the system, and nothing else of this machine; the operator can list more folders in process.readable, or serve them as roots',
  },
  {
    name: 'left behind',
    // git continues without it, and reports success.
    evenInSuccess: true,
    met: (line) => keptFromGit.test(line),
    note: (line) => {
      const name = keptFromGit.exec(line)?.[1] ?? '';
      return `${name} is read-only for commands, as other programs obey it later: git left it as it was, so it counts as changed now and does not belong into a commit; a person runs \`git checkout -- ${name}\``;
    },
  },
  {
    name: 'read-only',
    met: (line) => /\bread-only file system\b|\bEROFS\b/i.test(line) && !keptFromGit.test(line),
    note: 'commands write in the roots that may be written, in $TMPDIR and in HOME; in a root, what other programs obey later (.vscode, shell profiles) is read-only; the operator can serve more folders by roots',
  },
  {
    name: 'git',
    met: (line) =>
      /could not (?:lock|write) config file|\.git\/(?:config|hooks|info|modules)\b.*(?:read-only|busy)/i.test(
        line,
      ),
    note: "a repository's hooks and what else runs at a person's next git are read-only for commands; `git config` keeps what runs nothing (user.*, branch.*, new remotes), `git config --global` holds for the session, and a person changes the rest",
  },
  {
    name: 'terminal',
    met: (line) =>
      /\bnot a (tty|terminal)\b|\bno tty\b|inappropriate ioctl|\/dev\/tty\b|terminal prompts disabled|\bsetRawMode\b|from a terminal\b/i.test(
        line,
      ),
    note: 'commands have no terminal, and no key of the configuration gives them one: use options that answer beforehand (such as --yes), or start it in the background and write to its input',
  },
  {
    name: 'rights',
    met: (line) =>
      /"?no new privileges"? flag|must be (setuid|run as) root|\bare you root\b|requires root\b/i.test(line),
    note: 'no command gets rights of another user, and no key of the configuration gives them: a person runs it outside',
  },
  {
    name: 'sockets',
    // For the network there is another note.
    met: (line) =>
      /\bconnect EACCES \S*\/|\bsocket\b.*\bpermission denied\b/i.test(line) && !/docker/i.test(line),
    note: 'sockets of Unix connect the commands of a session with each other; what a program outside listens at is out of reach, and no key of the configuration opens it: a person runs it outside',
  },
  {
    name: 'services',
    met: (line) =>
      /\b(docker|podman) (daemon|socket)\b|\bDocker daemon\b|Failed to connect to bus|cannot open display|unable to open display|\bMissing X server\b/i.test(
        line,
      ),
    note: 'services of this machine (docker, the message bus, a display) are out of reach for commands, and no key of the configuration opens them: a person runs it outside',
  },
];

/** git's messages about a file that it cannot replace, because the file or its folder is mounted. */
const keptFromGit =
  /unable to (?:unlink|create|rmdir|remove)(?: old| file| directory)* '?([^':]{1,200})'?: (?:read-only file system|device or resource busy)/i;
const isMissing =
  /no such file or directory|\bENOENT\b|cannot access|does not appear to be a git repository/i;
const isRefused = /permission denied|\bEACCES\b/i;
/** Paths that exist for every command, or are missing everywhere. */
const everyones = [...systemFolders, '/etc', '/dev', '/proc', '/sys'];

/** Absolute paths in a line. */
function pathsIn(line: string): readonly string[] {
  return [...line.matchAll(/(?<![\w./:~-])\/[\w.@+-][^\s'"`’:,;()<>|]*/g)].map(([path]) => path);
}
