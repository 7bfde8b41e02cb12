/** The least that a server behind the hop can do: a JSON-RPC loop by hand with one tool. */
let rest = '';
process.stdin.on('data', (chunk: Buffer) => {
  const lines = (rest + chunk.toString()).split('\n');
  rest = lines.pop() ?? '';
  let out = '';
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    let result: unknown = {};
    if (method === 'initialize') {
      const { protocolVersion } = params;
      result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } };
    }
    if (method === 'tools/list') result = { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
    if (method === 'tools/call') result = { content: [{ type: 'text', text: params.arguments.text }] };
    out += `${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`;
  }
  process.stdout.write(out);
});
