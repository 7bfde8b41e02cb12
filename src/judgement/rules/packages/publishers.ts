import { text } from '../../../contract/text/text.ts';
import { hasWord, operandsOf } from '../../words/subcommands.ts';
import type { Word } from '../../words/word.ts';
import { changesCluster, clusterTools } from '../clusters.ts';
import type { CommandRule } from '../rule.ts';

/** Their publishing words, at any position. */
const publishers: Readonly<Record<string, RegExp>> = {
  twine: /^(upload|register)$/,
  flit: /^publish$/,
  hatch: /^publish$/,
  mvn: /(^|:)(deploy|deploy-file)$|^release:perform$/,
  mvnw: /(^|:)(deploy|deploy-file)$|^release:perform$/,
  gradle: /(^|:)(publish(?!ToMavenLocal\b)\w*|uploadArchives)$/,
  gradlew: /(^|:)(publish(?!ToMavenLocal\b)\w*|uploadArchives)$/,
  sbt: /(^|\s|\/)publish(Signed)?$/,
  lerna: /^publish$/,
  changeset: /^publish$/,
  vsce: /^(publish|unpublish)$/,
  ovsx: /^publish$/,
  'mcp-publisher': /^publish$/,
  aws: /^(rm|rb|(delete|terminate|destroy|remove|purge|deregister|stop|reboot|detach|revoke|disable|create|put|attach|add|run|authorize|update(?!-kubeconfig)|modify)-[\w-]+)$/,
  vault: /^(put|write|patch|delete|destroy|undelete|revoke|enable|disable|seal|rotate)$/,
  gcloud: /^(delete|destroy|deploy|stop|reset)$/,
  az: /^(delete|purge|stop|deallocate)$/,
  heroku: /destroy$|^(ps:stop|releases:rollback|pg:reset)$/,
  fly: /^(destroy|deploy)$/,
  flyctl: /^(destroy|deploy)$/,
  netlify: /^deploy$/,
  firebase: /^deploy$/,
  wrangler: /^(deploy|delete|publish)$/,
  serverless: /^(deploy|remove)$/,
  cdk: /^(deploy|destroy)$/,
  sam: /^(deploy|delete)$/,
};

/** Programs other than package managers that publish, deploy or delete things that other people use. */
export const publishRules: readonly CommandRule[] = [
  {
    id: 'publish',
    decision: 'ask',
    programs: [...Object.keys(publishers), ...clusterTools],
    because: text(
      'it publishes, deploys or deletes what others use',
      '他の人が使うものを公開、配置、または削除します',
    ),
    suggestion: text("It needs a person's approval.", '人の承認が必要です。'),
    fits: ({ program, args }) => {
      if (clusterTools.includes(program)) return changesCluster(program, args);
      if (hasWord(args, /^--(help|dry-?run)$/)) return false;
      // A stand-in for AWS on this machine.
      if (program === 'aws' && args.some(({ text }) => /\/\/(localhost|127\.0\.0\.1)\b/.test(text)))
        return false;
      const pattern = Object.hasOwn(publishers, program) ? publishers[program] : undefined;
      const operands = operandsOf(args);
      return (
        (program === 'aws' && uploads(operands)) ||
        operands.some((word) => word.value !== undefined && pattern?.test(word.value) === true)
      );
    },
    needs: 'tunnels',
    match: [
      'kubectl delete pod x',
      'kubectl -n prod delete pod x',
      'kubectl --context a delete ns b',
      'kubectl delete pod x --dry-run=none',
      'kubectl exec x -- ls --dry-run',
      'kubectl rollout undo deploy/api',
      'kubectl create clusterrolebinding x --clusterrole=cluster-admin --user=y',
      'kubectl -n prod set image deploy/api api=api:2',
      'helm uninstall x',
      'terraform destroy',
      'twine upload dist/*',
      'mvn clean deploy',
      './gradlew build publishToMavenLocal publish',
      'npx lerna publish',
      'npx vsce publish',
      'aws s3 rm --recursive s3://b',
      'aws s3 cp a.txt s3://b/a.txt',
      'aws ec2 terminate-instances --instance-ids i',
      'npx wrangler deploy',
      'aws iam create-access-key --user-name x',
      'vault kv delete -mount=secret x',
    ],
    notMatch: [
      'kubectl get pods',
      'kubectl logs x',
      'terraform plan',
      'helm list',
      'kubectl apply --dry-run=client -f x.yml',
      'kubectl -n web rollout status deploy/api',
      'helm upgrade web ./chart --dry-run',
      'kubectl create job x --image=y --dry-run=client -o yaml',
      'kubectl config set-context --current --namespace=dev',
      'helm create web',
      'twine check dist/*',
      'mvn verify',
      './gradlew publishToMavenLocal',
      'npx lerna run build',
      'aws s3 ls',
      'aws s3 cp s3://b/a.txt .',
      'gcloud config list',
      'netlify build',
      'aws eks update-kubeconfig --name x',
      'aws --endpoint-url=http://localhost:4566 s3 rm s3://a/b',
      'aws --endpoint-url http://localhost:4566 sqs create-queue --queue-name q',
      'vault kv get -mount=secret x',
      'twine --help',
      'aws s3 sync --delete --dryrun a s3://b',
    ],
  },
];

/** `aws s3 cp a s3://b`: other people can see the upload. */
function uploads(operands: readonly Word[]): boolean {
  const verb = operands.findIndex(({ value }) => /^(cp|mv|sync)$/.test(value ?? ''));
  return operands[verb - 1]?.value === 's3' && operands[verb + 2]?.prefix.startsWith('s3://') === true;
}
