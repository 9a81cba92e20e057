import { createServer, type RequestListener } from 'node:http';
import { freePort } from '@model-gateway/test-kit/free-port';
import { until } from '@model-gateway/test-kit/until';
import { expect, it } from 'vitest';
import { span, start } from './tested-telemetry.ts';

const MIB = 1024 * 1024;

/** Starts a collector that misbehaves. */
async function startCollector(listener: RequestListener) {
  const state = { url: '', requests: 0, sentBytes: 0 };
  const server = createServer((req, res) => {
    state.requests += 1;
    listener(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the collector has no port');
  state.url = `http://127.0.0.1:${address.port}`;
  return Object.assign(state, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

it('an endless reply is not read on, and the spans count as exported', async () => {
  let written = 0;
  let isCut = false;
  await using collector = await startCollector((req, res) => {
    req.resume();
    res.on('close', () => {
      isCut = true;
    });
    const write = () => {
      while (!isCut && res.write(Buffer.alloc(64 * 1024))) written += 64 * 1024;
    };
    res.on('drain', write);
    req.on('end', write);
  });
  const { close, dropped, traces } = start(collector);
  traces.exporter.add(span());
  await until(() => isCut);
  expect(written).toBeLessThan(16 * MIB);
  await close();
  expect(await dropped('failed')).toBe(0);
  expect(collector.requests).toBe(1);
});

it('a reply that trickles without end does not have the spans sent again', async () => {
  let isCut = false;
  await using collector = await startCollector((req, res) => {
    req.resume();
    res.writeHead(200);
    const timer = setInterval(() => res.write(Buffer.from([0])), 20);
    res.on('close', () => {
      clearInterval(timer);
      isCut = true;
    });
  });
  const { close, dropped, traces } = start(collector, { OTEL_EXPORTER_OTLP_TIMEOUT: '1000' });
  traces.exporter.add(span());
  await until(() => isCut);
  await close();
  expect(await dropped('failed')).toBe(0);
  expect(collector.requests).toBe(1);
});

it.each([
  ['dies in the middle of a message', (() => undefined) as RequestListener, true],
  [
    'redirects without end',
    ((_req, res) => void res.writeHead(307, { location: '/' }).end()) as RequestListener,
    false,
  ],
  ['is not there', undefined, false],
])('a collector that %s costs only the spans', async (_name, listener, dies) => {
  await using collector =
    listener === undefined
      ? { url: `http://127.0.0.1:${await freePort()}`, [Symbol.asyncDispose]: async () => undefined }
      : await startCollector((req, res) =>
          dies ? req.once('data', () => req.socket.destroy()) : listener(req, res),
        );
  const secret = 'Bearer s3cret';
  const { close, dropped, lines, traces } = start(collector, {
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(secret)}`,
  });
  for (let at = 0; at < 3; at++) traces.exporter.add(span());
  await close();
  expect(await dropped('failed')).toBe(3);
  const log = lines.join('');
  expect(log).toContain('spans could not be exported');
  expect(log).not.toContain('s3cret');
  expect(log).not.toContain(collector.url);
});

it('spans by the ten thousand beside a silent collector take bounded memory', async () => {
  await using collector = await startCollector((req) => void req.resume());
  const { close, dropped, traces } = start(collector);
  const filler = 'x'.repeat(2_000);
  const before = process.memoryUsage();
  for (let second = 0; second < 5; second++) {
    for (let at = 0; at < 10_000; at++) traces.exporter.add(span({ attributes: { filler } }));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  expect(arrayBuffers - before.arrayBuffers).toBeLessThan(64 * MIB);
  expect(heapUsed - before.heapUsed).toBeLessThan(64 * MIB);
  expect(await dropped('queue_full')).toBeGreaterThan(40_000);
  await close();
});
