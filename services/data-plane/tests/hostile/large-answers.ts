import { type GatewayOptions, startGatewayWithKey, type TestGateway } from '@model-gateway/test-kit';
import { bothApis } from '../endpoints/both-apis.ts';
import { startScriptedProvider } from '../providers/scripted-provider.ts';

/** A provider that answers as a test says, and a gateway in front of it. */
export interface LargeAnswers extends AsyncDisposable {
  gateway: TestGateway;
  rawKey: string;
  /** The body of every response from now on. */
  answer: Buffer;
  contentType: string;
  /** True to send a Content-Length. */
  announced: boolean;
  ask(path: string, body: object): Promise<Response>;
}

export async function startLargeAnswers(options: GatewayOptions): Promise<LargeAnswers> {
  const stack = new AsyncDisposableStack();
  const provider = stack.use(
    await startScriptedProvider((res) => {
      const { answer, announced, contentType } = answers;
      const length = announced ? { 'content-length': answer.length } : {};
      res.writeHead(200, { 'content-type': contentType, ...length }).end(answer);
    }),
  );
  const document = () => bothApis(provider.baseUrl);
  const gateway = stack.use(await startGatewayWithKey({ document, ...options }));
  const answers: LargeAnswers = {
    gateway,
    rawKey: gateway.rawKey,
    answer: Buffer.alloc(0),
    contentType: 'application/json',
    announced: false,
    ask: (path, body) => gateway.post(path, body),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  return answers;
}

/** Returns a response of /v1/embeddings of about so many bytes. */
export function embeddingsOf(bytes: number): Buffer {
  const vector = Array.from({ length: 1_536 }, (_, index) => Math.sin(index) / 7);
  const entry = JSON.stringify({ object: 'embedding', index: 0, embedding: vector });
  const entries = Array.from({ length: Math.max(1, Math.floor(bytes / entry.length)) }, () => entry);
  const usage = '"usage":{"prompt_tokens":7,"total_tokens":7}';
  return Buffer.from(`{"object":"list","data":[${entries.join(',')}],"model":"theirs",${usage}}`);
}
