import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js';
import { expect, it } from 'vitest';
import { ControlPlaneClient, gatewayProto, ReopeningStream } from '../src/index.ts';

const MIN_BACKOFF_MS = 40;

type Call = ServerWritableStream<object, object>;

/** Serves only WatchCatalog. */
async function startControlPlane(watchCatalog: (call: Call) => void) {
  const server = new Server();
  server.addService(gatewayProto.CatalogService.service, { WatchCatalog: watchCatalog });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { address: `127.0.0.1:${port}`, [Symbol.dispose]: () => server.forceShutdown() };
}

/** Watches the catalog and records what happens. */
function watching(addresses: string[]) {
  const client = new ControlPlaneClient({ addresses, token: 'x', tls: {} });
  const happened: string[] = [];
  const openedAtMs: number[] = [];
  const waiting = new Map<string, () => void>();
  const note = (what: string) => {
    happened.push(what);
    waiting.get(what)?.();
  };
  const stream = new ReopeningStream({
    client,
    minBackoffMs: MIN_BACKOFF_MS,
    open: ({ catalog }, metadata) => catalog.watchCatalog({}, metadata),
    onOpen: () => {
      openedAtMs.push(performance.now());
      note(`open ${openedAtMs.length}`);
    },
    onEvent: () => note('event'),
    onEnd: () => note('end'),
    onLost: (error) => note(`lost: ${error?.message}`),
  });
  stream.open();
  return {
    stream,
    happened,
    openedAtMs,
    until: async (what: string) => {
      if (!happened.includes(what)) await new Promise<void>((resolve) => waiting.set(what, resolve));
    },
    [Symbol.dispose]: () => {
      stream.close();
      stream.current?.cancel();
      client.close();
    },
  };
}

it('a stream that ended is reopened at another address', async () => {
  using ending = await startControlPlane((call) => call.end());
  using live = await startControlPlane((call) => call.write({ heartbeat: {} }));
  using watch = watching([ending.address, live.address]);
  await watch.until('event');
  expect(watch.happened).toEqual(['open 1', 'end', 'lost: undefined', 'open 2', 'event']);
});

it('each attempt to reopen a stream waits longer than the one before', async () => {
  using ending = await startControlPlane((call) => call.end());
  using watch = watching([ending.address]);
  await watch.until('open 4');
  const gapsMs = watch.openedAtMs.slice(1).map((atMs, at) => atMs - (watch.openedAtMs[at] ?? atMs));
  // Randomness can halve the wait, and timers may be a millisecond early.
  gapsMs.forEach((gapMs, tries) => {
    expect(gapMs).toBeGreaterThanOrEqual((MIN_BACKOFF_MS * 2 ** tries) / 2 - 1);
  });
});

it('an abandoned stream is left at once, and its end does not end the next one', async () => {
  using frozen = await startControlPlane(() => undefined);
  using live = await startControlPlane((call) => call.write({ heartbeat: {} }));
  using watch = watching([frozen.address, live.address]);
  const { current } = watch.stream;
  if (current === undefined) throw new Error('no stream');
  const ended = new Promise<void>((resolve) => current.once('close', () => resolve()));
  watch.stream.giveUp(current, 'silent');
  expect(watch.stream.current).toBeUndefined();
  await ended;
  await watch.until('event');
  expect(watch.happened).toEqual(['open 1', 'lost: silent', 'open 2', 'event']);
  expect(watch.stream.isInUse(current)).toBe(false);
});

it('a stream that is closing still reports its end, and is not reopened', async () => {
  let call: Call | undefined;
  using live = await startControlPlane((opened) => {
    call = opened;
    opened.write({ heartbeat: {} });
  });
  using watch = watching([live.address]);
  await watch.until('event');
  watch.stream.close();
  call?.end();
  await watch.until('end');
  expect(watch.happened).toEqual(['open 1', 'event', 'end']);
  expect(watch.stream.current).toBeUndefined();
});
