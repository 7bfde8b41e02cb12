import { text } from '../../contract/text/text.ts';

export const noticeKinds = {
  question: text('question', '質問'),
  escalation: text('nobody answered', '回答なし'),
  digest: text('digest', 'ダイジェスト'),
  test: text('test', 'テスト'),
};

export const noticeStates = {
  waiting: text('waiting', '待機中'),
  sent: text('sent', '送信済み'),
  failed: text('failed', '失敗'),
  dropped: text('not needed any more', '不要になった'),
};
