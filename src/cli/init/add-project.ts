import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse } from 'jsonc-parser';
import { pathOfProject } from '../../config/places/projects.ts';
import { homeOf } from '../../config/places/state.ts';
import { profiles } from '../../config/profiles.ts';
import type { Runtime } from '../../config/runtime.ts';
import type { ConfigFile } from '../../config/schema.ts';
import { ConfigError } from '../../contract/error.ts';
import { type Locale, text } from '../../contract/text/text.ts';
import { schemaAddress } from '../common/own-command.ts';
import type { Answers } from './questions.ts';
import { edited } from './settings-file.ts';

/**
 * Adds a project to the configuration file, keeping comments and other settings, or creates the file. Throws
 * `ConfigError` if the project exists and may not be replaced, or the file fixes its folders by `roots`.
 */
export function addProject(
  { path, replaces }: { readonly path: string; readonly replaces: boolean },
  answers: Pick<Answers, 'folder' | 'profile' | 'network'>,
  runtime: Runtime | undefined,
  locale: Locale,
): 'written' | 'added' {
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, newFile(answers, runtime, locale), { mode: 0o600, flag: 'wx' });
    return 'written';
  }
  const before = readFileSync(path, 'utf8');
  const { roots, projects = {} } = (parse(before) ?? {}) as ConfigFile;
  if (roots !== undefined)
    throw new ConfigError(
      `${path} has "roots", which every server serves wherever it is started. Write these folders as "projects" (docs/projects.md), and run this again.`,
      `${path} に "roots" があります。どこで起動したサーバーもそのフォルダーを提供します。"projects" に書き換えてから（docs/projects.md）、もう一度実行してください。`,
    );
  const home = homeOf(process.env);
  const key = Object.keys(projects).find(
    (each) => pathOfProject(each, home) === realpathSync(answers.folder),
  );
  if (key !== undefined && !replaces)
    throw new ConfigError(
      `${key} is already a project in ${path}. \`--force\` replaces its settings.`,
      `${key} は既に ${path} のプロジェクトです。\`--force\` で設定を置き換えます。`,
    );
  const after = edited(before, ['projects', key ?? answers.folder], settingsOf(answers));
  writeFileSync(path, after, { mode: 0o600 });
  return 'added';
}

function settingsOf({ profile, network }: Pick<Answers, 'profile' | 'network'>) {
  return { profile, mode: 'workspace-write', ...(network.length > 0 && { process: { network } }) };
}

function newFile(
  { folder, profile, network }: Pick<Answers, 'folder' | 'profile' | 'network'>,
  runtime: Runtime | undefined,
  locale: Locale,
): string {
  const reached = `,
      // ${comments.network[locale]}
      "process": { "network": ${JSON.stringify(network)} }`;
  return `{
  "$schema": ${JSON.stringify(schemaAddress())},
${runtime ? `  // ${comments.runtime[locale]}\n  "runtime": ${JSON.stringify(runtime)},\n` : ''}  // ${comments.projects[locale]}
  "projects": {
    ${JSON.stringify(folder)}: {
      // ${profiles[profile].summary[locale]}
      "profile": ${JSON.stringify(profile)},
      // ${comments.mode[locale]}
      "mode": "workspace-write"${network.length > 0 ? reached : ''}
    }
  },
  // ${comments.rules[locale]}
  "rules": []
}
`;
}

const comments = {
  runtime: text(
    'host, or container: the server runs in docker or podman, with the project mounted',
    'host または container。container では、サーバーが docker または podman の中で動き、プロジェクトがマウントされます',
  ),
  projects: text(
    'Your projects. A server serves the one that its client works in; "~/code/*" stands for each folder in ~/code.',
    'プロジェクト。サーバーは、クライアントが作業しているプロジェクトを提供します。"~/code/*" は ~/code の中の各フォルダーを表します。',
  ),
  mode: text(
    'read-only, workspace-write (a person is asked about risky calls) or full-access',
    'read-only、workspace-write（危険な呼び出しは人に確認）、full-access のいずれか',
  ),
  network: text(
    'Hosts that commands can reach, as names of sets; `sekisho policy show` lists their hosts.',
    'コマンドが接続できるホスト。組の名前で指定します。組に含まれるホストは `sekisho policy show` で確認できます。',
  ),
  rules: text(
    'Your own rules, for all projects; the strictest matching rule wins.',
    '独自のルール。全プロジェクトに適用されます。当てはまるルールのうち、最も厳しいものが有効です。',
  ),
} as const;
