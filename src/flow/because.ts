import type { FlowKind, FlowTarget } from '../contract/flow.ts';
import { cleanLine } from '../contract/text/clean-text.ts';
import { type Text, text } from '../contract/text/text.ts';

const shownChars = 80;

/** A sentence on the first target: which read brought it, and that the user did not name it. */
export function becauseOf(kind: FlowKind, targets: readonly FlowTarget[]): Text {
  const [first] = targets;
  if (!first) throw new Error('a finding has a target');
  const value = shown(first.value);
  const more = targets.length - 1;
  const others = more > 0 ? text(` (and ${more} more)`, `（ほか ${more} 件）`) : text('', '');
  const path = pathOf(first);
  return text(
    `"${value}" (${first.argument})${others.en} ${path.en}; ${closing[kind].en}`,
    `「${value}」（${first.argument}）${others.ja}は${path.ja}。${closing[kind].ja}`,
  );
}

function pathOf({ source, line, why }: FlowTarget): Text {
  if (why === 'secret')
    return text(
      `would be sent to after a credential was read (${source?.tool ?? ''}${source?.place ? ` ${shown(source.place)}` : ''})`,
      `への送信です。このセッションでは認証情報を読んでいます（${source?.tool ?? ''}${source?.place ? ` ${shown(source.place)}` : ''}）`,
    );
  if (why === 'forgotten')
    return text(
      'may come from something read earlier, of which no trace is kept',
      'は、以前に読み込み、いまは記録の残っていない内容にあったかもしれません',
    );
  if (why === 'nowhere')
    return text('appears in nothing that was read', '、読み込んだどの内容にもありません');
  if (!source || source.atMs === 0)
    return text('comes from something read earlier', '、以前に読み込んだ内容にあったものです');
  const at = new Date(source.atMs).toISOString().slice(11, 16);
  const place = source.place === '' ? source.tool : `${shown(source.place)} (${source.tool})`;
  const from = text(
    `line ${line ?? 1} of ${place}, read at ${at} UTC`,
    `${place} の ${line ?? 1} 行目（${at} UTC 読み込み）`,
  );
  return why === 'assembled'
    ? text(`is put together from what appeared in ${from.en}`, `、${from.ja}にある部分を組み合わせたものです`)
    : text(`comes from ${from.en}`, `、${from.ja}にあったものです`);
}

const closing: Record<FlowKind, Text> = {
  send: text('you did not name it', 'ユーザーが指定したものではありません'),
  rights: text('rights go only where you name it', '権限は、ユーザーが指定した相手にだけ与えられます'),
  delete: text('you did not name it for deletion', 'ユーザーが削除を指示したものではありません'),
};

function shown(value: string): string {
  const words = cleanLine(value);
  return words.length <= shownChars ? words : `${words.slice(0, shownChars)}…`.toWellFormed();
}
