import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { closeServer, listen } from '@model-gateway/service-kit';

/** Writes an answer, whole or in pieces, or breaks it. */
export type Respond = (res: ServerResponse, request: ReceivedRequest) => void;

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A provider that answers as a test says, byte for byte, once it has got the whole request. */
export interface ScriptedProvider extends AsyncDisposable {
  /** Where its API begins: `http://127.0.0.1:12345/v1`. */
  baseUrl: string;
  /** Requests so far, oldest first. */
  received: ReceivedRequest[];
  respond: Respond;
}

export async function startScriptedProvider(
  respond: Respond = (res) => res.writeHead(500).end(),
): Promise<ScriptedProvider> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const request = { method: req.method ?? '', url: req.url ?? '', headers: req.headers, body };
      provider.received.push(request);
      provider.respond(res, request);
    });
  });
  const port = await listen(server, 0, '127.0.0.1');
  const provider: ScriptedProvider = {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    received: [],
    respond,
    [Symbol.asyncDispose]: () => closeServer(server, 0),
  };
  return provider;
}

/** An answer as Anthropic gives it: with its own id of the request. */
export function json(status: number, body: string, headers: Record<string, string> = {}): Respond {
  return (res) => {
    res.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_theirs', ...headers });
    res.end(body);
  };
}
