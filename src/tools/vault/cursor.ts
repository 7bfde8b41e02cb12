import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';

export function badCursor(): ToolError {
  return new ToolError(
    'invalid_parameter',
    text('cursor did not come from this tool.', 'cursor がこのツールの返したものではありません。'),
    {
      suggestion: text(
        'Pass next_cursor of the page before, or none to start over.',
        '前のページの next_cursor を渡すか、省略して最初から始めてください。',
      ),
      details: { field: 'cursor' },
    },
  );
}
