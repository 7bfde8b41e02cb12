import { hasSubcommand, hasWord, leadingWords, operandsOf } from '../words/subcommands.ts';
import type { Word } from '../words/word.ts';

/** Programs, and their words that send, publish, deploy or delete, at any position. */
const rows: readonly (readonly [programs: string, words: RegExp])[] = [
  ['jj', /^push$/],
  ['hg', /^(push|email)$/],
  ['svn', /^(commit|ci|delete|del|remove|rm|import|lock|unlock)$/],
  [
    'pnpm yarn bun deno uv poetry pdm rye flit hatch lerna changeset vsce ovsx mcp-publisher',
    /^(un)?publish$/,
  ],
  ['npm', /^(publ\w*|unpub\w*|deprec\w*|adduser|login)$/],
  ['cargo gem nuget', /^(publish|push|yank|delete|owner)$/],
  ['conan', /^upload$/],
  ['twine', /^(upload|register)$/],
  ['mvn mvnw', /(^|:)(deploy|deploy-file)$|^release:perform$/],
  ['gradle gradlew', /(^|:)(publish(?!ToMavenLocal\b)\w*|uploadArchives)$/],
  ['sbt', /(^|\s|\/)publish(Signed)?$/],
  [
    'aws',
    /^(rm|rb|(delete|terminate|destroy|remove|purge|deregister|stop|reboot|detach|revoke|disable|create|put|attach|add|run|authorize|update(?!-kubeconfig)|modify)-[\w-]+)$/,
  ],
  ['vault', /^(put|write|patch|delete|destroy|undelete|revoke|enable|disable|seal|rotate)$/],
  ['gcloud', /^(delete|destroy|deploy|stop|reset)$/],
  ['az', /^(delete|purge|stop|deallocate)$/],
  ['heroku', /destroy$|^(ps:stop|releases:rollback|pg:reset)$/],
  ['fly flyctl netlify firebase wrangler serverless cdk sam', /^(deploy|destroy|delete|remove|publish)$/],
];
const wordsOf: ReadonlyMap<string, RegExp> = new Map(
  rows.flatMap(([programs, words]) => programs.split(' ').map((program) => [program, words] as const)),
);
/** With any words. */
const releasers = ['semantic-release', 'release-it'];
const interpreters = ['python', 'python3'];

/** Tools of clusters and clouds, by their first words. */
const clusterTools = ['kubectl', 'oc', 'helm', 'terraform', 'tofu', 'pulumi'];
const clusterWords = [
  ...['delete', 'drain', 'uninstall', 'destroy', 'apply', 'replace', 'scale', 'exec', 'edit', 'patch'],
  ...['rollout', 'upgrade', 'install', 'up', 'cordon', 'taint', 'del'],
];
/** `helm create` makes a folder. */
const kubectlWords = [
  ...['create', 'run', 'expose', 'set', 'label', 'annotate', 'autoscale', 'uncordon', 'certificate', 'cp'],
  ...['debug', 'attach'],
];

/** Programs that publish, deploy or delete what other people use. */
export const servicePrograms: readonly string[] = [
  ...[...wordsOf.keys()].filter((program) => !/^(jj|hg|svn)$/.test(program)),
  ...releasers,
  ...interpreters,
  ...clusterTools,
];

/** Do its words send, publish, deploy or delete? */
export function sendsToService(program: string, args: readonly Word[]): boolean {
  if (clusterTools.includes(program)) return changesCluster(program, args);
  if (hasWord(args, /^--(help|dry-?run)$/)) return false;
  // A stand-in for AWS on this machine.
  if (program === 'aws' && args.some(({ text }) => /\/\/(localhost|127\.0\.0\.1)\b/.test(text))) return false;
  const operands = operandsOf(args);
  // `python -m twine upload x`
  const isModule = interpreters.includes(program) && args[0]?.value === '-m';
  const pattern = wordsOf.get(isModule ? (args[1]?.value ?? '') : program);
  return (
    releasers.includes(program) ||
    (program === 'aws' && uploads(operands)) ||
    operands.some(({ value }) => value !== undefined && pattern?.test(value) === true)
  );
}

/** `aws s3 cp a s3://b`. */
function uploads(operands: readonly Word[]): boolean {
  const verb = operands.findIndex(({ value }) => /^(cp|mv|sync)$/.test(value ?? ''));
  return operands[verb - 1]?.value === 's3' && operands[verb + 2]?.prefix.startsWith('s3://') === true;
}

function changesCluster(program: string, args: readonly Word[]): boolean {
  const [first, second = ''] = leadingWords(
    args,
    /^(-n|--namespace|--context|--kubeconfig|--cluster|--kube-context)$/,
  );
  if (first === 'rollout') return !/^(status|history)$/.test(second);
  const tries = /^--(help|dry-run(=(client|server|true))?)$/;
  if (hasWord(args, tries) && !hasWord(args, /^--dry-run=(none|false)$/)) return false;
  return hasSubcommand(args, [...clusterWords, ...(/^(kubectl|oc)$/.test(program) ? kubectlWords : [])]);
}
