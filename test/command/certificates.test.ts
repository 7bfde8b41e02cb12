import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import { needs, sandbox } from '../support/needs.ts';

const base = realpathSync(mkdtempSync('/var/tmp/sekisho-certificates-'));
const root = join(base, 'project');
// A setting of the machine that commands do not see otherwise.
const setting = '/etc/hostname';
afterAll(() => rmSync(base, { recursive: true }));
mkdirSync(root);
mkdirSync(join(base, 'hashed'));
for (const path of ['company.pem', 'hashed/1.0', 'private.key']) writeFileSync(join(base, path), path);

describe.each(['bubblewrap', 'landlock'] as const)('%s', (name) => {
  test(
    'commands trust the authorities that the server was told of, and see no file beside',
    needs(sandbox(name)),
    async () => {
      const runner = new CommandRunner({
        roots: [{ hostPath: root, writable: true }],
        sandbox: 'required',
        backends: [name],
        serverEnvironment: {
          PATH: process.env.PATH,
          NODE_EXTRA_CA_CERTS: join(base, 'company.pem'),
          SSL_CERT_DIR: join(base, 'hashed'),
          REQUESTS_CA_BUNDLE: setting,
          CURL_CA_BUNDLE: join(base, 'not-there.pem'),
          GIT_SSL_CAPATH: homedir(),
          PIP_CERT: 'relative.pem',
        },
      });
      const script = `cat $NODE_EXTRA_CA_CERTS; echo; cat $SSL_CERT_DIR/1.0; echo; cat $REQUESTS_CA_BUNDLE
        echo "\${CURL_CA_BUNDLE-unset} \${GIT_SSL_CAPATH-unset} \${PIP_CERT-unset}"
        cat ${base}/private.key || echo hidden; echo x >> $NODE_EXTRA_CA_CERTS || echo read-only`;
      const result = await runner
        .forSession('s')
        .run(
          { kind: 'script', script, shell: 'bash' },
          { workingFolder: root, timeoutMs: 30_000, signal: new AbortController().signal },
        );
      expect(result.stdout).toBe(
        `company.pem\nhashed/1.0\n${readFileSync(setting, 'utf8')}unset unset unset\nhidden\nread-only\n`,
      );
      await runner.close();
    },
  );
});
