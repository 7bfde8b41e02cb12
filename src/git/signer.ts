import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommitSigner } from '../contract/capabilities/signing.ts';
import { text } from '../contract/text/text.ts';
import { defer } from '../ground/waiting/defer.ts';
import { type Environment, readSigning } from './person-config.ts';

/**
 * Signs commits and tags as a person's own git would outside of the sandbox: with the key and the program of the
 * person's settings. A repository's settings, which commands may write, choose neither.
 */
export async function openSigner(folder: string, environment: Environment): Promise<CommitSigner> {
  const signing = await readSigning(folder, environment);
  const { format, program, key, shown } = signing;
  return {
    key: shown,
    read(asked) {
      if (asked.format !== format || asked.key !== shown) return { because: anotherKey(asked.key, shown) };
      const kind = kindOf(asked.payload.toString('latin1'));
      if (kind === undefined) return { because: neither };
      const lasting = asked.payload.toString('latin1').replace(times, '$1');
      const digest = createHash('sha256')
        .update(JSON.stringify([format, shown, kind, lasting]))
        .digest('hex');
      return { object: { kind, key: shown, digest } };
    },
    async sign(payload, signal) {
      if (format === 'openpgp') {
        const args = ['--status-fd=2', '-bsau', key];
        return run(program ?? 'gpg', args, {
          environment,
          signal,
          input: payload,
          isDone: /^\[GNUPG:\] SIG_CREATED /m,
        });
      }
      const scratch = mkdtempSync(join(tmpdir(), 'sekisho-signature-'));
      using _ = defer(() => rmSync(scratch, { recursive: true, force: true }));
      const [object, literal] = [join(scratch, 'object'), join(scratch, 'key')];
      writeFileSync(object, payload);
      if (signing.isLiteral) writeFileSync(literal, `${key}\n`);
      const args = ['-Y', 'sign', '-n', 'git', '-f', signing.isLiteral ? literal : key, object];
      await run(program ?? 'ssh-keygen', args, { environment, signal });
      return readFileSync(`${object}.sig`);
    },
  };
}

/** Undefined for anything that is not exactly one unsigned commit or tag, such as a certificate of a push. */
function kindOf(payload: string): 'commit' | 'tag' | undefined {
  if (/^gpgsig/m.test(payload.split('\n\n', 1)[0] ?? '')) return undefined;
  return commit.test(payload) ? 'commit' : tag.test(payload) ? 'tag' : undefined;
}

const person = '.* <.*> \\d+ [+-]\\d{4}\\n';
const commit = new RegExp(
  `^tree [\\da-f]{40,64}\\n(?:parent [\\da-f]{40,64}\\n)*author ${person}committer ${person}(?:[a-z][\\w-]* .*\\n(?: .*\\n)*)*\\n`,
);
const tag = new RegExp(
  `^object [\\da-f]{40,64}\\ntype (?:commit|tree|blob|tag)\\ntag .+\\ntagger ${person}\\n`,
);
const times = /^((?:author|committer|tagger) .*>) \d+ [+-]\d{4}$/gm;

interface Running {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly input?: Buffer;
  /** Words that its messages must hold, as git checks them. */
  readonly isDone?: RegExp;
}

/** Rejects with what the program says. It may wait for a person's passphrase. */
function run(
  program: string,
  args: readonly string[],
  { environment, signal, input, isDone }: Running,
): Promise<Buffer> {
  const options = {
    env: environment,
    signal,
    timeout: patienceMs,
    maxBuffer: 1024 * 1024,
    encoding: 'buffer',
  } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const words = stderr
        .toString()
        .replace(/^\[GNUPG:\].*\n/gm, '')
        .trim();
      if (!error && (isDone?.test(stderr.toString()) ?? true)) resolve(stdout);
      else reject(new Error(words === '' ? `${program} failed` : words));
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

const patienceMs = 5 * 60_000;

const neither = text(
  'Only a commit or a tag of git is signed, and this is neither.',
  '署名するのは git のコミットとタグだけです。これはどちらでもありません。',
);

function anotherKey(asked: string, shown: string) {
  const ours = shown === '' ? ['none', 'なし'] : [shown, shown];
  return text(
    `git asked for a signature by the key ${asked}, and the person's settings sign with: ${ours[0]} (user.signingKey, gpg.format).`,
    `git は鍵 ${asked} の署名を求めましたが、利用者の設定の鍵は次のとおりです: ${ours[1]}（user.signingKey、gpg.format）。`,
  );
}
