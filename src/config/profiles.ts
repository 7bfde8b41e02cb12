import { type Text, text } from '../contract/text/text.ts';
import type { ConfigFile } from './schema.ts';

/** A set of toolsets and settings under a name; flags and file take precedence. */
export interface Profile {
  readonly summary: Text;
  readonly config: ConfigFile;
}

/** For work over the network: far above an agent's normal use, and below an endless loop's. */
export const workingRates: NonNullable<ConfigFile['rateLimits']> = [{ perMinute: 300 }];

export const profiles = {
  coding: {
    summary: text(
      'Files, search, edits and a judged shell in your project folder.',
      'プロジェクトのフォルダーでのファイル操作、検索、編集、審査付きのシェル。',
    ),
    config: {
      toolsets: ['assistant'],
      assistant: { layout: 'workspace' },
      process: { maxTimeoutMs: 3_600_000, network: ['registries'] },
      rateLimits: workingRates,
    },
  },
  notes: {
    summary: text(
      'A vault of Markdown notes, read and searched line by line.',
      'Markdown ノートの保管庫。行単位で読んで検索します。',
    ),
    config: { toolsets: ['vault'] },
  },
  chat: {
    summary: text(
      'A chat assistant: files in a daily folder, the web and long-term memory.',
      'チャットアシスタント: 日付ごとのフォルダーでのファイル操作、Web、長期メモリ。',
    ),
    config: { toolsets: ['assistant'], assistant: { layout: 'output' } },
  },
  pipes: {
    summary: text(
      'Text processing with pipelines, without a shell; every write is mirrored.',
      'シェルを使わない、パイプラインによるテキスト処理。書き込みはすべて控えにも記録します。',
    ),
    config: { toolsets: ['pipeline'] },
  },
  team: {
    summary: text(
      'Agents that share tasks and talk to each other, with files and a judged shell.',
      'タスクを分担し、互いに会話するエージェント。ファイル操作と審査付きのシェルも使えます。',
    ),
    config: { toolsets: ['collaboration', 'agent-cli'], rateLimits: workingRates },
  },
  gateway: {
    summary: text(
      'Only the tools of proxied servers, judged, pinned and recorded.',
      '中継するサーバーのツールだけ。審査、定義の固定、記録を行います。',
    ),
    config: { toolsets: [] },
  },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof profiles;
