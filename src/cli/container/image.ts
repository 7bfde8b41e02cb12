import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineName } from '../../config/runtime.ts';
import { ConfigError } from '../../contract/error.ts';
import { defer } from '../../ground/waiting/defer.ts';
import type { Options } from '../common/options.ts';
import { packageFolder } from '../common/own-command.ts';
import { say } from '../common/say.ts';
import { answeringEngine, ownImage } from './engine.ts';

/**
 * Builds the image of this very version from this program's package, under the name that `--runtime container` looks
 * for. The engine fetches the base, Debian's packages and npm's. Returns the engine's exit code.
 */
export async function buildImage(options: Options): Promise<number> {
  const engine = answeringEngine(options.engine as EngineName | undefined);
  const folder = packageFolder();
  const context = mkdtempSync(join(tmpdir(), 'sekisho-image-'));
  using _ = defer(() => rmSync(context, { recursive: true, force: true }));
  packInto(context, folder);
  copyFileSync(join(folder, 'packaging/docker/Dockerfile'), join(context, 'Dockerfile'));
  const base = options.base === undefined ? [] : ['--build-arg', `BASE=${options.base}`];
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  const secret = authorities && existsSync(authorities) ? ['--secret', `id=ca,src=${authorities}`] : [];
  // Podman keeps health checks only in Docker's image format.
  const form = engine === 'podman' ? ['--format', 'docker'] : [];
  const args = ['build', ...form, ...secret, ...base, '--tag', ownImage(), context];
  const { status, error } = spawnSync(engine, args, { stdio: ['ignore', 2, 2], windowsHide: true });
  if (error) throw error;
  if (status !== 0) return status ?? 1;
  say(
    `${engine} has ${ownImage()} now; \`--runtime container\` uses it.`,
    `${engine} に ${ownImage()} を作成しました。\`--runtime container\` で使われます。`,
  );
  return 0;
}

/** `sekisho.tgz`, as npm would publish the package. Throws `ConfigError` if npm cannot. */
function packInto(context: string, folder: string): void {
  const { status, stderr, error } = spawnSync(
    'npm',
    ['pack', '--ignore-scripts', '--silent', '--pack-destination', context],
    // On Windows npm is a script, which only a shell starts; all arguments are our own.
    { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32', windowsHide: true },
  );
  const [packed] = status === 0 ? readdirSync(context).filter((name) => name.endsWith('.tgz')) : [];
  if (packed === undefined || !existsSync(join(folder, 'dist/sekisho.js'))) {
    const why =
      error?.message ??
      String(stderr ?? '')
        .trim()
        .slice(0, 300);
    throw new ConfigError(
      `npm cannot pack ${folder}: ${why || 'it is not built (npm run build)'}.`,
      `npm が ${folder} をパッケージにできません: ${why || 'ビルドされていません (npm run build)'}。`,
    );
  }
  renameSync(join(context, packed), join(context, 'sekisho.tgz'));
}
