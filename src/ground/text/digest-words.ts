import type { HistoryEntry } from '../../contract/capabilities/history.ts';
import type { Digest, SessionLine, StepKind, StoryChange } from '../../contract/people/story.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { counted } from '../counted.ts';

/** A digest as lines for a terminal, a mail or a notice. Cleaned. */
export function digestWords(digest: Digest): Text {
  const parts = [
    head(digest),
    ...digest.sessions.slice(0, mostShown).map(sessionWords),
    ...more(digest.sessions.length),
    ...questionWords(digest),
    ...refusalWords(digest),
    ...changeWords(digest.changes),
    ...grantWords(digest),
    ...(digest.isCut ? [cut] : []),
  ];
  return text(parts.map(({ en }) => en).join('\n'), parts.map(({ ja }) => ja).join('\n'));
}

/** `ran 12, changed 3`, without zero counts. */
export function countsWords(counts: Readonly<Record<StepKind, number>>): Text {
  const kinds = (Object.keys(kindWords) as StepKind[]).filter((kind) => counts[kind] > 0);
  return text(
    kinds.map((kind) => `${kindWords[kind].en} ${counts[kind]}`).join(', '),
    kinds.map((kind) => `${kindWords[kind].ja} ${counts[kind]}`).join('、'),
  );
}

/** The names of a session's kinds of steps. */
export const kindWords: Readonly<Record<StepKind, Text>> = {
  read: text('read', '読み取り'),
  ran: text('ran', '実行'),
  changed: text('changed', '変更'),
  sent: text('sent', '送信'),
  did: text('did', 'その他'),
  asked: text('asked', '確認'),
  refused: text('refused', '拒否'),
  failed: text('failed', '失敗'),
};

/** What a change did to its path. */
export function changeOf({ before, after }: Pick<HistoryEntry, 'before' | 'after'>) {
  if (before.kind === 'absent') return 'created';
  return after.kind === 'absent' ? 'removed' : 'changed';
}

/** The change of a path, in a word. */
export const changeKinds: Readonly<Record<StoryChange['change'], Text>> = {
  created: text('created', '作成'),
  changed: text('changed', '変更'),
  removed: text('removed', '削除'),
  undone: text('as before', '元どおり'),
};

function head({ sinceMs, untilMs, calls, sessions, counts }: Digest): Text {
  const [from, to] = [sinceMs, untilMs].map((ms) => new Date(ms).toISOString());
  const what = countsWords(counts);
  return text(
    `${from} to ${to}: ${counted(calls, 'call')} in ${counted(sessions.length, 'session')}${calls > 0 ? ` (${what.en})` : ''}`,
    `${from} から ${to} まで: 呼び出し ${calls} 件、セッション ${sessions.length} 件${calls > 0 ? `（${what.ja}）` : ''}`,
  );
}

function sessionWords({ sessionId, principal, client, said, calls, changedPaths }: SessionLine): Text {
  const who = cleanLine([principal, client].filter(Boolean).join(', '));
  const wanted = said[0] === undefined ? '' : `  "${cleanLine(said[0]).slice(0, saidChars)}"`;
  const id = cleanLine(sessionId);
  return text(
    `  ${id}  ${who}: ${counted(calls, 'call')}, ${counted(changedPaths, 'path')} changed${wanted}`,
    `  ${id}  ${who}: 呼び出し ${calls} 件、変更したパス ${changedPaths} 件${wanted}`,
  );
}

function more(sessions: number): readonly Text[] {
  const left = sessions - mostShown;
  return left > 0 ? [text(`  … and ${left} more`, `  … ほか ${left} 件`)] : [];
}

function questionWords({ questions: { answered, waiting } }: Digest): readonly Text[] {
  const waits =
    waiting > 0
      ? [
          text(
            `Waiting: ${counted(waiting, 'question')} (sekisho approve)`,
            `回答待ち: ${waiting} 件 (sekisho approve)`,
          ),
        ]
      : [];
  const lines = answered.map(({ by, decision, times }) => {
    const who = cleanLine(by);
    return decision === 'approved'
      ? text(`Allowed by ${who}: ${times}`, `許可 ${who}: ${times} 件`)
      : text(`Denied by ${who}: ${times}`, `拒否 ${who}: ${times} 件`);
  });
  return [...waits, ...lines];
}

function refusalWords({ refusals }: Digest): readonly Text[] {
  return refusals.slice(0, mostShown).map(({ rule, times, example }) => {
    const what = `${cleanLine(rule)} ×${times}: ${cleanLine(example)}`;
    return text(`Refused by ${what}`, `拒否したルール ${what}`);
  });
}

function changeWords(changes: readonly StoryChange[]): readonly Text[] {
  const shown = changes.slice(0, mostShown).map(({ change, entry }) => {
    const { en, ja } = changeKinds[change];
    const path = cleanLine(entry.path);
    return text(`  ${en} ${path}`, `  ${ja} ${path}`);
  });
  if (changes.length === 0) return [];
  const left = changes.length - shown.length;
  return [
    text(`Changed: ${counted(changes.length, 'path')}`, `変更したパス: ${changes.length} 件`),
    ...shown,
    ...(left > 0 ? [text(`  … and ${left} more`, `  … ほか ${left} 件`)] : []),
  ];
}

function grantWords({ ending, unused }: Digest): readonly Text[] {
  const ends = ending.map(({ rule, endsAtMs = 0 }) => {
    const what = cleanLine(rule);
    const at = new Date(endsAtMs).toISOString();
    return text(`Ends ${at}: ${what}`, `${at} に終了: ${what}`);
  });
  const idle = unused.map(({ rule, record }) => {
    const what = cleanLine(rule);
    return text(
      `Unused for two weeks: ${what} (sekisho approve revoke ${record.id})`,
      `2 週間未使用: ${what} (sekisho approve revoke ${record.id})`,
    );
  });
  return [...ends, ...idle];
}

const cut = text(
  'There was more than is looked at: only the newest calls are counted.',
  '対象が多すぎるため、最新の呼び出しだけを数えています。',
);

const mostShown = 20;
const saidChars = 120;
