import { once } from 'node:events';
import { createServer } from 'node:http';
import { type RecordedAnswer, typeOf } from './recorded-answers.ts';

/** An HTTP server that answers every POST with what was recorded of a provider. */
export interface ReplayingProvider extends AsyncDisposable {
  baseUrl: string;
  /** Sets the answer to every request from now on. */
  replay(answer: RecordedAnswer): void;
  /** The body of the last request. */
  lastBody(): string;
}

export async function startReplayingProvider(): Promise<ReplayingProvider> {
  let replayed: RecordedAnswer | undefined;
  let body = '';
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      body = Buffer.concat(chunks).toString();
      const content = replayed?.content;
      if (content === undefined || req.method !== 'POST') return res.writeHead(404).end();
      if ('text' in content) {
        res.writeHead(200, { 'content-type': 'application/json', 'request-id': 'req_recorded' });
        return res.end(content.text);
      }
      res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      for (const data of content.events) res.write(`event: ${typeOf(data)}\ndata: ${data}\n\n`);
      return res.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    replay: (answer) => {
      replayed = answer;
    },
    lastBody: () => body,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
