/**
 * The tools as the five documents define them: `type`, `!` where it is required, `=` before its default. What a document
 * leaves open stands nowhere here. A test holds the tools against this, and the checklist has a row for each member.
 */
export interface Definition {
  readonly document: string;
  readonly tool: string;
  readonly takes: Readonly<Record<string, string>>;
  readonly gives?: Readonly<Record<string, string>>;
  readonly hints?: Readonly<
    Partial<Record<'readOnly' | 'destructive' | 'idempotent' | 'openWorld', boolean>>
  >;
}

export const definitions: readonly Definition[] = [
  {
    document: '000',
    tool: 'file_read',
    takes: { path: 'string!' },
    gives: { content: 'string!' },
    hints: { readOnly: true, openWorld: false },
  },
  {
    document: '000',
    tool: 'file_write',
    takes: { path: 'string!', content: 'string!', overwrite: 'boolean=false' },
    gives: { success: 'boolean!' },
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  },
  {
    document: '000',
    tool: 'shell_exec',
    takes: { command: 'string!', args: 'array=[]', cwd: 'string' },
    gives: { stdout: 'string!', stderr: 'string!', exitCode: 'number!' },
    hints: { readOnly: false, destructive: true, openWorld: true },
  },
  { document: '001', tool: 'read_file', takes: { path: 'string!' } },
  { document: '001', tool: 'write_file', takes: { path: 'string!', content: 'string!' } },
  {
    document: '001',
    tool: 'edit_file',
    takes: {
      path: 'string!',
      old_string: 'string!',
      new_string: 'string!',
      replace_all: 'boolean=false',
    },
  },
  { document: '001', tool: 'list_files', takes: { path: 'string="."' } },
  { document: '001', tool: 'glob', takes: { pattern: 'string!', path: 'string' } },
  { document: '001', tool: 'grep', takes: { pattern: 'string!', path: 'string', glob: 'string' } },
  { document: '001', tool: 'bash', takes: { command: 'string!', timeout: 'integer' } },
  { document: '001', tool: 'web_fetch', takes: { url: 'string!' } },
  {
    document: '001',
    tool: 'remember',
    takes: { content: 'string!', category: 'string', tags: 'array' },
  },
  { document: '001', tool: 'recall', takes: { query: 'string!', limit: 'integer=5' } },
  {
    document: '002',
    tool: 'help',
    takes: { tool_name: 'string' },
    gives: {
      context: 'object',
      available_tools: 'array',
      unavailable_info: 'object',
      total_available: 'integer',
      name: 'string',
      description: 'string',
      category: 'string',
      available: 'boolean',
      reason: 'string',
      parameters: 'array',
      example: 'object',
    },
  },
  {
    document: '003',
    tool: 'vault_create',
    takes: { path: 'string!', content: 'string!' },
    gives: { written_path: 'string!', written_bytes: 'number!' },
  },
  {
    document: '003',
    tool: 'vault_read',
    takes: {
      path: 'string!',
      full: 'boolean|null',
      'range.start_line': 'number|null',
      'range.end_line': 'number|null',
      'limits.max_chars': 'number|null',
    },
    gives: {
      text: 'string!',
      truncated: 'boolean!',
      returned_chars: 'number!',
      'applied_range.start_line': 'number!',
      'applied_range.end_line': 'number!',
      'next_offset.start_line': 'number|null',
      truncated_reason: 'string!',
    },
  },
  {
    document: '003',
    tool: 'vault_scan',
    takes: {
      path: 'string!',
      'cursor.start_line': 'number|null',
      chunk_lines: 'number|null',
      'limits.max_chars': 'number|null',
    },
    gives: {
      text: 'string!',
      'applied_range.start_line': 'number!',
      'applied_range.end_line': 'number!',
      'next_cursor.start_line': 'number|null',
      eof: 'boolean!',
      truncated: 'boolean!',
      truncated_reason: 'string!',
    },
  },
  {
    document: '003',
    tool: 'vault_replace',
    takes: {
      path: 'string!',
      find: 'string!',
      replace: 'string!',
      max_replacements: 'number|null',
    },
    gives: { written_path: 'string!', replacements: 'number!' },
  },
  {
    document: '004',
    tool: 'shelpa_pipe',
    takes: { command: 'string!', cwd: 'string', confirm_oversize: 'boolean' },
    gives: { stdout: 'string!', 'meta.steps': 'array!', 'meta.tee': 'object|null' },
  },
];

export interface Member {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  readonly fallback?: unknown;
}

/** Reads `string!`, `boolean=false` and `number|null`. */
export function memberOf(name: string, words: string): Member {
  const [, type = '', mark, fallback] = /^([a-z]+)(!|\|null)?(?:=(.*))?$/.exec(words) ?? [];
  return {
    name,
    type,
    isRequired: mark === '!',
    isNullable: mark === '|null',
    ...(fallback !== undefined && { fallback: JSON.parse(fallback) as unknown }),
  };
}
