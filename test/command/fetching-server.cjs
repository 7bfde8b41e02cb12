// An MCP server over stdio with one tool, which says what is behind a URL.
const { createInterface } = require('node:readline');

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const tools = [
  {
    name: 'get',
    description: 'What is behind a URL.',
    inputSchema: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
  },
];

function causesOf(error) {
  return error === undefined ? '' : `${error.message} ${causesOf(error.cause)}`;
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const serverInfo = { name: 'fetching', version: '1' };
    send({
      id,
      result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo },
    });
  } else if (method === 'tools/list') send({ id, result: { tools } });
  else if (method === 'tools/call') {
    const text = await fetch(params.arguments.url).then(
      (response) => response.text(),
      (error) => `failed: ${causesOf(error)}`,
    );
    send({ id, result: { content: [{ type: 'text', text }] } });
  } else if (id !== undefined) send({ id, error: { code: -32601, message: 'unknown' } });
});
