import { expect, test } from 'vitest';
import { command, local, policy, tool } from '../../../test/support/plain-policy.ts';
import type { PolicyRule, Risk } from '../../contract/policy.ts';
import { text } from '../../contract/text/text.ts';

test('a grant names the program and its subcommand for each command that was asked about', () => {
  const grant = (script: string, rules: PolicyRule[] = []) => {
    const ready = policy(rules);
    return ready.grantOf(tool('bash'), command(script), ready.decide(tool('bash'), local, command(script)));
  };
  const one = '{"tool":"bash","command":["git","push"],"decision":"allow"}';

  expect(grant('git push origin main')).toBe(one);
  expect(grant('ls ; git push -u origin x')).toBe(one);
  expect(grant('ls ; git push other')).toBe(
    '{"tool":"bash","command":["git","push","other"],"decision":"allow"}',
  );
  expect(grant('git push ; sudo apt install x')).toBe(
    `${one} {"tool":"bash","command":["sudo","apt","install","x"],"decision":"allow"}`,
  );
  expect(grant('git push $x')).toBe(
    '{"tool":"bash","command":["bash","-c","git push $x"],"decision":"allow"}',
  );
  expect(grant('npm publish a', [{ command: ['npm', 'publish'], decision: 'ask', because: 'x' }])).toBe(
    '{"tool":"bash","command":["npm","publish"],"decision":"allow"}',
  );
});

test.each([
  ['gh pr create --fill', ['gh', ['issue', 'pr'], ['comment', 'create', 'new']]],
  ['gh issue comment 7 --body x', ['gh', ['issue', 'pr'], ['comment', 'create', 'new']]],
  ['gh pr comment 1 -dR a/b --body x', ['gh', 'pr', 'comment', '1', '-dR', 'a/b', '--body', 'x']],
  ['gh pr comment https://x.example/a/b/pull/1', ['gh', 'pr', 'comment', 'https://x.example/a/b/pull/1']],
  ['gh pr comment 1 --delete-last', ['gh', 'pr', 'comment', '1', '--delete-last']],
  ['gh pr review 1 -a', ['gh', 'pr', 'review', '1', '-a']],
  ['gh api -X DELETE repos/a/b', ['gh', 'api', '-X', 'DELETE', 'repos/a/b']],
  ['gh issue close 7', ['gh', 'issue', 'close']],
  ['glab mr note 1 -m x', ['glab', ['issue', 'mr'], ['create', 'new', 'note']]],
  ['npm i -D zod@latest @types/node', ['npm', ['add', 'i', 'install']]],
  ['npm install a/b', ['npm', 'install', 'a/b']],
  ['npm install x@npm:y', ['npm', 'install', 'x@npm:y']],
  ['npm install --registry=https://x.example y', ['npm', 'install', '--registry=https://x.example', 'y']],
  ['pip3 install -q httpx[http2]>=0.27', [['pip', 'pip3'], 'install']],
  ['pip install git+https://x.example/y', ['pip', 'install', 'git+https://x.example/y']],
  ['pip install -i https://x.example y', ['pip', 'install', '-i', 'https://x.example', 'y']],
  ['python3 -m pip install httpx', [['python', 'python3'], '-m', 'pip', 'install']],
  ['uv pip uninstall httpx', ['uv', 'pip']],
  ['go get -u example.com/x/y@latest', ['go', ['get', 'install']]],
  ['git push fork main', ['git', 'push', 'fork']],
  ['git push -o origin fork main', ['git', 'push', '-o', 'origin', 'fork', 'main']],
  ['gh api -X POST repos/a/b', ['gh', 'api']],
  ['gh pr --repo a/b merge 1', ['gh', 'pr', '--repo', 'a/b', 'merge', '1']],
  ['rsync a host:b', ['rsync', 'a', 'host:b']],
  ['scp key host:', ['scp', 'key', 'host:']],
  ['mvn clean deploy', ['mvn', 'clean', 'deploy']],
  ['sudoedit /etc/hosts /etc/motd', ['sudoedit', '/etc/hosts', '/etc/motd']],
  ['twine upload dist/a.whl', ['twine', 'upload']],
  ['aws ec2 terminate-instances --all', ['aws', 'ec2', 'terminate-instances']],
  ['gcloud compute instances delete x', ['gcloud', 'compute', 'instances', 'delete', 'x']],
  ['ansible all -m ping', ['ansible', 'all', '-m', 'ping']],
  ['git push --follow-tags -u origin main', ['git', 'push']],
  ['git push --force origin main', ['git', 'push', '--force', 'origin', 'main']],
  ['git push --force-with-lease', ['git', 'push', '--force-with-lease']],
  ['git push -uf origin', ['git', 'push', '-uf', 'origin']],
  ['git push origin +main', ['git', 'push', 'origin', '+main']],
  ['git push origin :old', ['git', 'push', 'origin', ':old']],
  ['git push --mirror x', ['git', 'push', '--mirror', 'x']],
  ['git push origin --delete v1', ['git', 'push', 'origin', '--delete', 'v1']],
  ['git remote set-url origin ../x', ['git', 'remote', 'set-url', 'origin', '../x']],
])('a grant for %j goes no further than what was agreed to', (script, argv) => {
  const [program = ''] = script.split(' ');
  const ready = policy([{ command: [program], decision: 'ask', because: 'x' }]);
  const verdict = ready.decide(tool('bash'), local, command(script));
  expect(verdict.decision).toBe('ask');
  expect(ready.grantOf(tool('bash'), command(script), verdict)).toBe(
    JSON.stringify({ tool: 'bash', command: argv, decision: 'allow' }),
  );
});

test('a rule about another tool does not narrow a grant, one about this tool does', () => {
  const grant = (pattern: string) =>
    policy([{ tool: pattern, decision: 'ask', because: 'x' }]).grantOf(tool('bash'), command('git push'), {
      decision: 'ask',
      rule: 'x',
      because: text('x', 'x'),
    });
  expect(grant('github__*')).toContain('["git","push"]');
  expect(grant('bash')).toContain('["bash","-c","git push"]');
});

test('a grant for a tool that asks by itself names what it touches', () => {
  const risk: Risk = { writes: ['b', 'a'], hosts: ['h'], ask: text('x', 'x') };
  const ready = policy();
  expect(ready.grantOf(tool('t'), risk, ready.decide(tool('t'), local, risk))).toBe(
    [
      '{"tool":"t","host":"h","decision":"allow"}',
      '{"tool":"t","path":"a","decision":"allow"}',
      '{"tool":"t","path":"b","decision":"allow"}',
    ].join(' '),
  );
});
