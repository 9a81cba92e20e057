// Run in a network of its own, whose loopback interface it may take down: see dead-provider.slow.test.ts.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { openAiCompatible } from '@model-gateway/dialects';
import { until } from '@model-gateway/test-kit/until';
import { EgressProxy } from '../../src/egress/egress-proxy.ts';
import { ProviderPools } from '../../src/upstream/provider-pools.ts';
import { UpstreamCall } from '../../src/upstream/upstream-call.ts';

/** The deadline of this process, long before TCP gives up by itself. */
const GIVE_UP_MS = 120_000;
/** Longer than the gateway takes to notice that a provider is gone. */
const SILENCE_MS = 25_000;

const [folder = '', fate = ''] = process.argv.slice(2);
const setLoopback = (state: 'up' | 'down') => execFileSync('ip', ['link', 'set', 'lo', state]);
const pools = new ProviderPools(new EgressProxy());

interface Provider {
  /** Resolves when so many requests have arrived. */
  heard(requests: number): Promise<void>;
  send(path: string): Promise<number>;
  /** Answers what waits. */
  answer(): void;
}

/** @param listen starts a server that answers on one path, and leaves every other request waiting */
async function provider(
  scheme: 'http' | 'https',
  listen: (
    serve: (req: { url?: string | undefined }, res: { end(): void }) => void,
  ) => AddressInfo | Promise<AddressInfo>,
): Promise<Provider> {
  let requests = 0;
  const waiting: { end(): void }[] = [];
  const address = await listen((req, res) => {
    requests++;
    if (req.url === '/answered') res.end();
    else waiting.push(res);
  });
  const routed = {
    id: scheme,
    kind: 'openai-compatible',
    origin: `${scheme}://127.0.0.1:${address.port}`,
    pathPrefix: '',
    protocol: openAiCompatible,
    credentials: [{ variable: undefined, source: undefined, weight: 1 }],
    headers: {},
    timeouts: {
      connectMs: 5_000,
      firstByteMs: 3_600_000,
      idleMs: 3_600_000,
      totalMs: 3_600_000,
      firstBytePlainMs: undefined,
    },
  };
  return {
    answer() {
      for (const res of waiting) res.end();
    },
    async heard(expected) {
      await until(() => requests >= expected);
    },
    async send(path) {
      const call = new UpstreamCall(new AbortController().signal);
      const body = Buffer.from('{}');
      const answer = await call.send(pools.get(routed), {
        path,
        headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
        body,
      });
      await call.readStart(1_000, GIVE_UP_MS);
      return answer.statusCode;
    },
  };
}

async function failureOf(call: Promise<number>): Promise<{ failed: string; afterMs: number }> {
  const sinceMs = performance.now();
  const failed = await call.then(
    (status) => `answered ${status}`,
    (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
  );
  return { failed, afterMs: Math.round(performance.now() - sinceMs) };
}

setTimeout(() => {
  process.stdout.write('a call still waits for a provider that is gone\n');
  process.exit(1);
}, GIVE_UP_MS);

setLoopback('up');
const plain = await provider('http', async (serve) => {
  const server = createServer((req: IncomingMessage, res: ServerResponse) => serve(req, res));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server.address() as AddressInfo;
});
const shared = await provider('https', async (serve) => {
  const tls = { key: readFileSync(`${folder}/key.pem`), cert: readFileSync(`${folder}/cert.pem`) };
  const server = createSecureServer(tls, (req: Http2ServerRequest, res: Http2ServerResponse) =>
    serve(req, res),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server.address() as AddressInfo;
});

const waiting = [failureOf(plain.send('/silent')), failureOf(shared.send('/silent'))];
await Promise.all([plain.heard(1), shared.heard(1)]);
if (fate === 'silent') {
  await new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
  for (const each of [plain, shared]) each.answer();
  const [overHttp1, overHttp2] = await Promise.all(waiting);
  process.stdout.write(`${JSON.stringify({ overHttp1, overHttp2 })}\n`);
  process.exit(0);
}
setLoopback('down');
// Written to a connection that nobody is at the other end of: TCP sends it again and again.
waiting.push(failureOf(shared.send('/silent')));
const [overHttp1, overHttp2, writtenAfter] = await Promise.all(waiting);
setLoopback('up');
const again = await Promise.all([plain.send('/answered'), shared.send('/answered')]);
process.stdout.write(`${JSON.stringify({ overHttp1, overHttp2, writtenAfter, again })}\n`);
process.exit(0);
