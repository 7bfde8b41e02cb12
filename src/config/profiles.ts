import type { ConfigFile } from './schema.ts';

/** A sensible set of toolsets and settings under one name; flags and the file still win over it. */
export interface Profile {
  readonly summary: { readonly en: string; readonly ja: string };
  readonly config: ConfigFile;
}

export const profiles = {
  coding: {
    summary: {
      en: 'Files, search, edits and a judged shell in your project folder.',
      ja: 'プロジェクトのフォルダーでのファイル、検索、編集、審査されるシェル。',
    },
    config: { toolsets: ['assistant'], assistant: { layout: 'workspace' } },
  },
  notes: {
    summary: { en: 'A vault of Markdown notes, and memory.', ja: 'Markdown ノートの保管庫。' },
    config: { toolsets: ['vault'] },
  },
  chat: {
    summary: {
      en: 'Files in a folder of the day, the web and long-term memory, for a chat assistant.',
      ja: '日ごとのフォルダーでのファイル、ウェブ、長期記憶。チャットアシスタント向け。',
    },
    config: { toolsets: ['assistant'], assistant: { layout: 'output' } },
  },
  pipes: {
    summary: {
      en: 'Text work by pipelines without a shell; every write is mirrored.',
      ja: 'シェルを使わないパイプラインでのテキスト処理。書き込みはすべて控えを残します。',
    },
    config: { toolsets: ['pipeline'] },
  },
  team: {
    summary: {
      en: 'Agents that share tasks and talk to each other, with files and a judged shell.',
      ja: 'タスクを分け合い、会話するエージェント。ファイルと審査されるシェル付き。',
    },
    config: { toolsets: ['collaboration', 'agent-cli'] },
  },
} as const satisfies Record<string, Profile>;

export type ProfileName = keyof typeof profiles;
