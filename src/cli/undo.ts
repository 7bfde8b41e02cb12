import type { Flags } from '../config/settings.ts';
import type { HistoryStore, UndoSelection, UndoStep } from '../contract/capabilities/history.ts';
import { ConfigError } from '../contract/error.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import { type Text, text, verbatim } from '../contract/text/text.ts';
import { counted } from '../ground/counted.ts';
import { arrow, sizeOf } from '../operator/describe-change.ts';
import { agrees } from './common/agrees.ts';
import { durationMs } from './common/duration.ts';
import type { Options } from './common/options.ts';
import { inLocale, note, say, sayJson } from './common/say.ts';
import { wholeEntryId } from './common/whole-id.ts';
import { withOperator } from './common/with-operator.ts';
import { changeWords } from './history.ts';

/** Undoes changes, after showing them. Exit code 1 if it stopped early, had nothing to undo, or was not agreed to. */
export function undo(id: string | undefined, flags: Flags, options: Options): Promise<number> {
  const given = orderOf(id, options);
  return withOperator(flags, async ({ acts, checkpoint }) => {
    const { history } = await checkpoint.store();
    const selection = given
      ? await selected(given, options.call === true, history)
      : await lastCall(history, options.yes === true);
    if (!selection) return 1;
    const { steps, sessionId, stopped, outside } = await acts.undo(selection, {
      force: options.force === true,
      tell: (step) => (options.json ? sayJson(step) : say(describe(step))),
    });
    const undone = steps.filter(({ outcome }) => outcome === 'undone').length;
    if (!options.json) {
      const entry = 'id' in selection ? await history.get(selection.id) : undefined;
      say(steps.length === 0 ? nothingFor(selection, entry?.undoneBy) : summary(undone, stopped, sessionId));
      for (const line of outside) say(beyondUndo(cleanLine(line)));
    }
    return stopped || steps.length === 0 ? 1 : 0;
  });
}

async function selected(
  given: UndoSelection,
  isCall: boolean,
  history: HistoryStore,
): Promise<UndoSelection> {
  if (!('id' in given)) return given;
  const id = await wholeEntryId(given.id, history);
  const auditId = isCall ? (await history.get(id))?.auditId : undefined;
  return auditId ? { auditId } : { id };
}

/** Shows the last call's changes, and asks whether to undo them. Undefined without changes or agreement. */
async function lastCall(history: HistoryStore, isAgreed: boolean): Promise<UndoSelection | undefined> {
  const recent = await history.list({ standing: true, limit: 1000 });
  const last = recent.find(({ undoes }) => undoes === undefined);
  if (!last) {
    say(nothingFor({}, undefined));
    return undefined;
  }
  const { auditId, id } = last;
  const entries = auditId ? await history.list({ auditId, standing: true, limit: shown + 1 }) : [last];
  note(
    `The last call that changed something, ${cleanLine(last.tool)} at ${new Date(last.atMs).toISOString()}:`,
    `最後に変更を行った呼び出し（${new Date(last.atMs).toISOString()} の ${cleanLine(last.tool)}）:`,
  );
  for (const entry of entries.slice(0, shown)) note(`  ${changeWords(entry)}`);
  if (entries.length > shown) note('  … and more', '  … ほか');
  if (!isAgreed && !process.stdin.isTTY) {
    note(
      'Nothing was undone. Add --yes to undo it.',
      '何も元に戻していません。元に戻すには --yes を付けてください。',
    );
    return undefined;
  }
  if (!isAgreed && !(await agrees(text('Undo it? [y/N] ', '元に戻しますか? [y/N] ')))) {
    note('Nothing was undone.', '何も元に戻していません。');
    return undefined;
  }
  return auditId ? { auditId } : { id };
}

const shown = 20;

/** One of the three; undefined if none is given. Throws `ConfigError` for several. */
function orderOf(id: string | undefined, { session, since, call }: Options): UndoSelection | undefined {
  const given = [id, session, since].filter((each) => each !== undefined).length;
  if (given === 0 && call !== true) return undefined;
  if (given !== 1)
    throw new ConfigError(
      'undo takes at most one of: an entry, --session, --since; --call needs an entry. `sekisho history` lists entries.',
      'undo に指定できるのは、変更の ID、--session、--since のいずれか 1 つです。--call には変更の ID が必要です。変更は `sekisho history` で一覧できます。',
    );
  if (id !== undefined) return { id };
  if (session !== undefined) return { sessionId: String(session) };
  return { sinceMs: Date.now() - durationMs(String(since), '--since') };
}

function describe({ entry, ...step }: UndoStep): string {
  const path = cleanLine(entry.path);
  return `${entry.id}  ${path}: ${inLocale(whatCameOf(entry, step))}`;
}

function whatCameOf(entry: UndoStep['entry'], step: Omit<UndoStep, 'entry'>): Text {
  switch (step.outcome) {
    case 'undone':
      return arrow(sizeOf(entry.after), sizeOf(entry.before));
    case 'already':
      return text('is as it was', '既に元のとおりです');
    case 'stays':
      return text(
        'stays, since others have put files into it',
        'ほかのファイルが入れられているため、残します',
      );
    case 'lost':
      return text('its old content was not kept', '以前の内容が保存されていません');
    default:
      return conflictOf(entry, step as Conflict);
  }
}

type Conflict = Extract<UndoStep, { outcome: 'conflict' }>;

function conflictOf({ after }: UndoStep['entry'], { found, because }: Omit<Conflict, 'entry'>): Text {
  if (because)
    return text(`cannot be undone. ${cleanLine(because.en)}`, `元に戻せません。${cleanLine(because.ja)}`);
  const [left, now] = [sizeOf(after), sizeOf(found)];
  return text(
    `changed since. The change left ${left.en}, now there is ${now.en}`,
    `その後に変更されています。変更直後は ${left.ja}、今は ${now.ja}`,
  );
}

function nothingFor(selection: object, undoneBy: string | undefined): Text {
  if ('id' in selection && undoneBy !== undefined)
    return text(
      `${String(selection.id)} has already been undone. \`sekisho undo ${undoneBy}\` redoes it.`,
      `${String(selection.id)} は既に元に戻してあります。\`sekisho undo ${undoneBy}\` で取り消せます。`,
    );
  const lists = text('`sekisho history` lists what was changed.', '`sekisho history` で変更を一覧できます。');
  if ('id' in selection)
    return text(
      `There is no change ${String(selection.id)}. ${lists.en}`,
      `変更 ${String(selection.id)} はありません。${lists.ja}`,
    );
  return text(
    `There is nothing to undo: nothing was changed, or everything has already been undone. ${lists.en}`,
    `元に戻すものはありません。変更がないか、すべて元に戻してあります。${lists.ja}`,
  );
}

function beyondUndo(command: string): Text {
  return text(
    `\`${command}\` ran outside the sandbox: what it changed outside the folders is not undone.`,
    `\`${command}\` はサンドボックスの外で実行されました。フォルダーの外での変更は元に戻りません。`,
  );
}

function summary(undone: number, stopped: boolean, session: string): Text {
  const back =
    undone > 0
      ? text(
          ` \`sekisho undo --session ${session}\` redoes it.`,
          `\`sekisho undo --session ${session}\` で取り消せます。`,
        )
      : verbatim('');
  if (!stopped)
    return text(`${counted(undone, 'change')} undone.${back.en}`, `${undone} 件を元に戻しました。${back.ja}`);
  return text(
    `${counted(undone, 'change')} undone; the rest could not be. See \`sekisho diff\`; --force continues and keeps what it replaces.${back.en}`,
    `${undone} 件を元に戻しましたが、戻せないものがありました。\`sekisho diff\` で確認してください。--force を付けると、置き換えるものを保存して続けます。${back.ja}`,
  );
}
