import type { CommandJudge } from '../../contract/capabilities/judgement.ts';
import type { Passed, PolicyVerdict } from '../../contract/policy.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { isCredentialPath } from '../../ground/content/places.ts';
import type { Argv } from './command.ts';

/** Judges text that is passed to a proxied tool, and that another machine or an unsandboxed server may run. */
export function judgePassed(
  judge: CommandJudge,
  { text: script, isLine }: Passed,
): PolicyVerdict | undefined {
  if (isLine) return runsElsewhere;
  const { decision, rule, because, commands } = judge.judge(
    { kind: 'script', script, shell: 'bash' },
    { dialect: 'plain', roots: [], workingFolder: '/' },
  );
  if (decision !== 'allow')
    return {
      decision: 'ask',
      rule,
      because: text(`it runs elsewhere: ${because.en}`, `外で実行されます: ${because.ja}`),
    };
  const [reason] = (commands ?? []).flatMap((argv) => harmOf(argv) ?? []);
  return reason && { decision: 'ask', rule: 'runs-elsewhere', because: reason };
}

/** A command line runs at once and outside our sandbox, so a person is always asked. */
const runsElsewhere: PolicyVerdict = {
  decision: 'ask',
  rule: 'runs-elsewhere',
  because: text(
    'the tool runs a command line outside of this sandbox',
    'このツールはコマンドをこのサンドボックスの外で実行します',
  ),
};

function harmOf([program, ...words]: Argv): Text | undefined {
  const name = program?.slice(program.lastIndexOf('/') + 1);
  const has = (pattern: RegExp) => words.some((word) => word !== null && pattern.test(word));
  if (words.some((word) => word !== null && isCredentialPath(word.replace(/^[@<]/, ''))))
    return text('it runs elsewhere, and reads a credential', '外で実行され、認証情報を読みます');
  if (name === 'rm' && has(/^-[a-z]*[rR]|^--recursive$/))
    return text('it runs elsewhere, and removes folders', '外で実行され、フォルダーを削除します');
  if (
    (name === 'curl' && has(/^(?:-d|-F|-T|--data.*|--form.*|--upload-file|--json)$|^-[dFT]./)) ||
    isUpload(name, has)
  )
    return text('it runs elsewhere, and sends data to a host', '外で実行され、データをホストへ送ります');
  return undefined;
}

function isUpload(name: string | undefined, has: (pattern: RegExp) => boolean): boolean {
  return name === 'wget' && has(/^--(?:post|body)-(?:file|data)/);
}
