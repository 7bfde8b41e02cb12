import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { medians } from '../measure.ts';

// `serve PORT` answers /word and /100; `measure OURS THEIRS ROUNDS` asks both ports in turns and prints the medians.
const [, , does, ...args] = process.argv;
const [first = 0, second = 0, rounds = 0] = args.map(Number);
const part = Buffer.alloc(1 << 20, 7);

if (does === 'serve') {
  createServer(async (request, response) => {
    if (request.url === '/word') return void response.end('word');
    for (let sent = 0; sent < 100; sent++) if (!response.write(part)) await once(response, 'drain');
    response.end();
  }).listen(first, '127.0.0.1');
} else {
  const wayTo = (port: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async (path: string) => {
      const [response] = await once(get({ host: '127.0.0.1', port, path, agent }), 'response');
      return response;
    };
    return {
      word: async () => text(await ask('/word')),
      download: async () => once((await ask('/100')).resume(), 'end'),
    };
  };
  const [ours, theirs] = [wayTo(first), wayTo(second)];
  const kept = await medians(rounds, ours.word, theirs.word);
  const down = await medians(Math.max(5, rounds / 200), ours.download, theirs.download);
  console.log(JSON.stringify({ kept, down }));
  process.exit();
}
