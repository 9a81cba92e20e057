import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';

/** One POST of the gateway to a provider, and the response. */
export interface RecordedCall {
  path: string;
  request: string;
  status: number;
  answer: Buffer;
}

/** Stands before a provider, passes everything on, and keeps it. */
export interface RecordingProxy extends AsyncDisposable {
  baseUrl: string;
  /** The base URL of the provider, to be set before the first request. */
  target: string;
  /** In the order in which the requests ended. */
  calls: RecordedCall[];
}

export async function startRecordingProxy(): Promise<RecordingProxy> {
  const calls: RecordedCall[] = [];
  const server = createServer(async (req, res) => {
    const request = await bytesOf(req);
    const upstream = httpRequest(new URL(req.url ?? '', proxy.target), {
      method: req.method ?? 'GET',
      headers: req.headers,
    });
    upstream.on('error', () => res.destroy());
    upstream.end(request);
    const [answer]: IncomingMessage[] = await once(upstream, 'response');
    if (answer === undefined) throw new Error('an answer without a head');
    res.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(res);
    // An answer that breaks off is none that can be kept; its reader sees that it has.
    const bytes = await bytesOf(answer).catch(() => undefined);
    if (bytes === undefined) {
      res.destroy();
      return;
    }
    if (req.method === 'POST') {
      const status = answer.statusCode ?? 500;
      calls.push({ path: req.url ?? '', request: request.toString(), status, answer: bytes });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP port');
  const proxy: RecordingProxy = {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    target: '',
    calls,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
  return proxy;
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
