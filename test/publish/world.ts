import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import type {
  BackgroundCommand,
  HeldRequest,
  RequestAnswer,
} from '../../src/contract/capabilities/process.ts';
import { createTestJudge } from '../support/effects-judge.ts';

export const yes: RequestAnswer = { isAllowed: true, by: 'ada' };

/** Commands whose ports are published, with a person who agrees unless the test says otherwise. */
export function openCommands(
  files: Readonly<Record<string, string>> = {},
  ports: readonly (readonly [number, number])[] = [[1024, 32_767]],
) {
  // Not below the host's /tmp: a root there would have to be mounted inside of what a session may change.
  const root = realpathSync(mkdtempSync('/var/tmp/sekisho-publish-test-'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const runner = new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    backends: ['bubblewrap'],
    readable: [realpathSync(join(import.meta.dirname, '../../node_modules'))],
    publish: { ports, reserved: [7040] },
  });
  onTestFinished(async () => {
    await runner.close();
    rmSync(root, { recursive: true, force: true });
  });
  const asked: HeldRequest[] = [];
  let answer: (held: HeldRequest) => Promise<RequestAnswer> = async () => yes;
  const judge = {
    ...createTestJudge(),
    askAboutRequest(held: HeldRequest) {
      asked.push(held);
      return answer(held);
    },
  };
  const commandsOf = (session: string) => runner.forSession(session, { judge });
  return {
    root,
    runner,
    asked,
    answers(next: typeof answer) {
      answer = next;
    },
    commandsOf,
    /** Starts a script in the background. */
    start: (script: string, session = 'one', inSession = true): Promise<BackgroundCommand> =>
      commandsOf(session).start(
        { kind: 'script', script, shell: 'bash' },
        { workingFolder: root, inSession },
      ),
    /** The address at which a port of a session is published, once it is. */
    url: (port: number, session = 'one'): Promise<string> =>
      expect
        .poll(
          () => runner.published().find((each) => each.port === port && each.sessionId === session)?.url,
          { interval: 50 },
        )
        .toBeDefined()
        .then(
          () =>
            runner.published().find((each) => each.port === port && each.sessionId === session)?.url ?? '',
        ),
  };
}

/** A port of this machine, below those that the kernel gives out, that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}
