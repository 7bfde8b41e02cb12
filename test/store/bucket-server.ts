import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';

/**
 * An S3 server in a process of its own with an empty bucket, `kept`, until the test ends. The variables by which every
 * client finds it are set meanwhile.
 */
export async function startBucketServer() {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-bucket-'));
  let port = 0;
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    const place = ['-d', folder, '-a', '127.0.0.1', '-p', String(port), '--no-vhost-buckets'];
    server = spawn('s3rver', [...place, '--configure-bucket', 'kept'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let words = '';
    await new Promise<void>((listens) => {
      server?.stdout?.on('data', (more: Buffer) => {
        words += more;
        if (/listening on .*:\d+\n/.test(words)) listens();
      });
    });
    port = Number(/listening on .*:(\d+)\n/.exec(words)?.[1]);
  }

  async function stop(): Promise<void> {
    if (server?.exitCode !== null || server.signalCode !== null) return;
    server.kill();
    await once(server, 'exit');
  }

  await start();
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return { url: 's3://kept/of/tests', folder, start, stop };
}
