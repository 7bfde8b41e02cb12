import { text } from '../../contract/text/text.ts';
import { readGitLine } from '../unwrap/git.ts';
import { hasWord, operandsOf } from '../words/subcommands.ts';
import { mayBeOption, type Word } from '../words/word.ts';
import type { CommandRule } from './rule.ts';
import { sendsToService, servicePrograms } from './services.ts';

const suggestion = text("It needs a person's approval.", '人の承認が必要です。');

/**
 * Programs that change what other people see or use. Their requests are judged by what they do; these rules are for where
 * no request is looked into: tunnels, and commands without a sandbox.
 */
export const sendingRules: readonly CommandRule[] = [
  {
    id: 'git-push',
    decision: 'ask',
    programs: ['git', 'jj', 'hg', 'svn', 'gh', 'glab'],
    because: text('it changes what others see', '他の人に見えるものを変更します'),
    suggestion,
    fits: ({ program, args }) => {
      if (program === 'git') return gitSends(args);
      return /^(gh|glab)$/.test(program) ? forgeChanges(args) : sendsToService(program, args);
    },
    needs: 'tunnels',
    match: [
      'git push origin main',
      'git -C x push',
      'git subtree push --prefix=a origin main',
      'git lfs push origin main',
      '/usr/lib/git-core/git-push origin',
      'hub push',
      'gh extension install x',
      'gh pr -R o/r merge 1',
      'gh api -X DELETE repos/o/r',
      'gh api repos/o/r/issues -f title=x',
      "gh api graphql -f query='mutation { x }'",
      'gh api "$x"',
      'git push --no-dry-run -n',
      'svn commit -m x',
      'jj git push',
    ],
    notMatch: [
      'git status',
      'git log --grep push',
      'git stash push',
      'git lfs ls-files',
      'git subtree split --prefix=a',
      'gh pr list',
      'gh pr -R o/r view 1',
      'gh api repos/o/r --jq .name',
      'gh api -X GET search/issues -f q=x',
      "gh api graphql -f query='{ viewer { login } }'",
      'git push --dry-run origin main',
    ],
  },
  {
    id: 'publish',
    decision: 'ask',
    programs: servicePrograms,
    because: text(
      'it publishes, deploys or deletes what others use',
      '他の人が使うものを公開、配置、または削除します',
    ),
    suggestion,
    fits: ({ program, args }) => sendsToService(program, args),
    needs: 'tunnels',
    match: [
      'kubectl delete pod x',
      'kubectl -n prod set image deploy/api api=api:2',
      'kubectl exec x -- ls --dry-run',
      'kubectl delete pod x --dry-run=none',
      'kubectl rollout undo deploy/api',
      'helm uninstall x',
      'terraform destroy',
      'twine upload dist/*',
      'python3 -m twine upload x',
      'npm publ',
      'cargo publish',
      'semantic-release',
      'mvn clean deploy',
      './gradlew build publishToMavenLocal publish',
      'npx vsce publish',
      'aws s3 rm --recursive s3://b',
      'aws s3 cp a.txt s3://b/a.txt',
      'aws ec2 terminate-instances --instance-ids i',
      'vault kv delete -mount=secret x',
    ],
    notMatch: [
      'kubectl get pods',
      'kubectl -n web rollout status deploy/api',
      'kubectl apply --dry-run=client -f x.yml',
      'kubectl config set-context --current --namespace=dev',
      'helm create web',
      'terraform plan',
      'twine check dist/*',
      'cargo publish --dry-run',
      'npm run publish-docs',
      './gradlew publishToMavenLocal',
      'aws s3 cp s3://b/a.txt .',
      'aws eks update-kubeconfig --name x',
      'aws --endpoint-url http://localhost:4566 sqs create-queue --queue-name q',
      'gcloud config list',
      'vault kv get -mount=secret x',
      'twine --help',
    ],
  },
];

/** git commands with their own subcommands, some of which send data. */
const gitExtensions = /^(subtree|lfs|annex|flow|cl|stack|spice|town)$/;

function gitSends(args: readonly Word[]): boolean {
  const { verb, rest } = readGitLine(args);
  if (!verb) return false;
  if (verb.value === undefined) return true;
  if (verb.value === 'push' && hasWord(rest, /^(-n|--dry-run)$/)) return hasWord(rest, /^--no-d/);
  return (
    /^(push|send-pack|send-email|svn|p4|http-push|imap-send|for-each-repo)$/.test(verb.value) ||
    (gitExtensions.test(verb.value) &&
      rest.some(({ value = 'push' }) => /^(push|publish|sync|submit|upload|copy|move|finish)$/.test(value)))
  );
}

/** Verbs with which `gh` and `glab` only show or download; all other verbs may change data that other people see. */
const shows =
  /^(view|list|ls|status|diff|checks|watch|download|checkout|co|clone|verify|trace|get|set-default|check|token|setup-git)$/;
const alone = /^(status|search|browse|version|help|completion)$/;

function forgeChanges(args: readonly Word[]): boolean {
  if (hasWord(args, /^(-h|--help|--version)$/)) return false;
  const given = args.filter((_, at) => !/^(-R|--repo|--hostname)$/.test(args[at - 1]?.value ?? ''));
  const [topic, verb] = operandsOf(given);
  if (topic?.value === undefined) return args.some(({ value }) => value === undefined);
  if (topic.value === 'api') return apiChanges(given);
  return !alone.test(topic.value) && verb !== undefined && !shows.test(verb.value ?? '');
}

/** `gh api` only reads, unless a method or fields are given. */
function apiChanges(args: readonly Word[]): boolean {
  if (args.some((word) => word.value === undefined && mayBeOption(word))) return true;
  const line = args.map(({ prefix }) => prefix).join(' ');
  const method = /(?:^| )(?:-X ?|--method[ =])(\S+)/.exec(line)?.[1];
  if (method !== undefined) return !/^(GET|HEAD)$/i.test(method);
  const isQuery = /(?:^| )graphql .*\bquery=\s*(?:query\b|\{)/.test(line) && !/\bmutation\b/.test(line);
  return !isQuery && /(?:^| )(?:-[fF]|--(?:raw-)?field|--input)/.test(line);
}
