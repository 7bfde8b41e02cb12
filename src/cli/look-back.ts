import type { Checkpoint } from '../checkpoint/index.ts';
import type { Flags } from '../config/settings.ts';
import type { SessionStory, StoryChange, StoryStep } from '../contract/people/story.ts';
import { cleanLine, cleanText } from '../contract/text/clean-text.ts';
import { type Text, text } from '../contract/text/text.ts';
import { changeKinds, countsWords, digestWords, kindWords } from '../ground/text/digest-words.ts';
import { describeChange } from '../operator/describe-change.ts';
import { durationMs } from './common/duration.ts';
import type { Options } from './common/options.ts';
import { inLocale, say, sayJson } from './common/say.ts';
import { wholeId } from './common/whole-id.ts';
import { withOperator } from './common/with-operator.ts';

/** Prints a digest of recent calls. */
export function showDigest(flags: Flags, options: Options): Promise<number> {
  const sinceMs = Date.now() - durationMs(String(options.since), '--since');
  return withOperator(flags, async ({ operator }) => {
    const digest = await operator.digest(sinceMs);
    if (options.json) sayJson(digest);
    else say(digestWords(digest));
    return 0;
  });
}

/** Prints one session's story; without an id the latest caller's. Exit code 1 if there is none. */
export function showStory(id: string | undefined, flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ operator, checkpoint }) => {
    const { sessions } = await operator.digest(Date.now() - lookBackMs);
    const ids = sessions.map(({ sessionId }) => sessionId);
    const story = await operator.story(id === undefined ? (ids[0] ?? '') : wholeId(id, ids));
    if (!story) {
      say(
        'There is no such session. `sekisho digest` lists them.',
        'そのセッションはありません。`sekisho digest` で一覧できます。',
      );
      return 1;
    }
    const diffs = options.diff ? await diffsOf(story.changes, checkpoint) : [];
    if (options.json) sayJson(options.diff ? { ...story, diffs } : story);
    else say([...storyLines(story), ...diffs.map((diff) => `\n${cleanText(diff)}`)].join('\n'));
    return 0;
  });
}

/** The diff of each path across the session. */
async function diffsOf(changes: readonly StoryChange[], checkpoint: Checkpoint): Promise<readonly string[]> {
  const { history, folders } = await checkpoint.history();
  const diffs: string[] = [];
  for (const { entry, change } of changes.toReversed()) {
    if (change === 'undone') continue;
    const before = await history.content(entry, 'before', folders);
    const after = await history.content(entry, 'after', folders);
    diffs.push(describeChange(entry, before, after, checkpoint.settings.locale));
  }
  return diffs;
}

function storyLines(story: SessionStory): readonly string[] {
  const { principal, sessionId, client, transport, beganAtMs, endedAtMs, said, counts } = story;
  const who = [principal, sessionId, client, transport].filter(Boolean).join(', ');
  const [from, to] = [beganAtMs, endedAtMs].map((ms) => new Date(ms).toISOString());
  return [
    `${cleanLine(who)}  ${from} – ${to}`,
    inLocale(countsWords(counts)),
    ...said.map((words) => `${inLocale(labels.said)}: "${cleanLine(words)}"`),
    '',
    ...(story.unshownSteps > 0 ? [`… ${inLocale(labels.earlier(story.unshownSteps))}`] : []),
    ...story.steps.map(stepLine),
    ...(story.changes.length > 0 ? ['', `${inLocale(labels.changes)}:`] : []),
    ...story.changes.toReversed().map(changeLine),
  ];
}

function stepLine({ atMs, kind, line, tool, times, approver, rule }: StoryStep): string {
  const more = [
    ...(times > 1 ? [`×${times}`] : []),
    ...(rule === undefined ? [] : [`(${rule})`]),
    ...(approver === undefined ? [] : [`${inLocale(labels.answered)} ${approver}`]),
  ];
  const time = new Date(atMs).toISOString().slice(11, 19);
  return cleanLine(
    `${time}  ${inLocale(kindWords[kind]).padEnd(8)} ${line}  ${tool} ${more.join(' ')}`.trimEnd(),
  );
}

function changeLine({ entry, change, times }: StoryChange): string {
  return cleanLine(`  ${inLocale(changeKinds[change])} ${entry.path}${times > 1 ? ` ×${times}` : ''}`);
}

const lookBackMs = 30 * 24 * 3_600_000;

const labels = {
  said: text('Asked for', '依頼'),
  changes: text('Changed', '変更'),
  answered: text('answered by', '回答者'),
  earlier: (steps: number): Text => text(`${steps} earlier`, `これより前に ${steps} 件`),
} as const;
