import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CatalogDocumentInput } from '@model-gateway/shared';
import { type GatewayOptions, postJson, startGateway, type TestGateway } from '@model-gateway/test-kit';
import { bothApis } from '../endpoints/both-apis.ts';

/** A provider that answers whatever it is told to, and a gateway before it. */
export interface LargeAnswers extends AsyncDisposable {
  gateway: TestGateway;
  rawKey: string;
  /** The body of the answers to come; the same for every request. */
  answer: Buffer;
  contentType: string;
  /** True where its length is known in advance. */
  announced: boolean;
  ask(path: string, body: object): Promise<Response>;
}

export async function startLargeAnswers(options: GatewayOptions): Promise<LargeAnswers> {
  const stack = new AsyncDisposableStack();
  const provider = createServer((req, res) => {
    req.resume();
    req.once('end', () => {
      const { answer, announced, contentType } = answers;
      res.writeHead(200, {
        'content-type': contentType,
        ...(announced ? { 'content-length': answer.length } : {}),
      });
      res.end(answer);
    });
  });
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  stack.defer(() => {
    provider.closeAllConnections();
    provider.close();
  });
  const address: AddressInfo | string | null = provider.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const baseUrl = `http://127.0.0.1:${address.port}/v1`;
  const document = (): CatalogDocumentInput => bothApis(baseUrl);
  const gateway = stack.use(await startGateway({ document, ...options }));
  const { rawKey } = await gateway.createKey();
  const answers: LargeAnswers = {
    gateway,
    rawKey,
    answer: Buffer.alloc(0),
    contentType: 'application/json',
    announced: false,
    ask: (path, body) => postJson(gateway.baseUrl, rawKey, path, body),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  return answers;
}

/** An answer of /v1/embeddings of about so many bytes. */
export function embeddingsOf(bytes: number): Buffer {
  const vector = Array.from({ length: 1_536 }, (_, index) => Math.sin(index) / 7);
  const entry = JSON.stringify({ object: 'embedding', index: 0, embedding: vector });
  const entries = Array.from({ length: Math.max(1, Math.floor(bytes / entry.length)) }, () => entry);
  const usage = '"usage":{"prompt_tokens":7,"total_tokens":7}';
  return Buffer.from(`{"object":"list","data":[${entries.join(',')}],"model":"theirs",${usage}}`);
}
