import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { simulatedCatalog, startGateway, type TestGateway, until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { watchMemory } from '../hostile/resident-memory.ts';
import { spawnDataPlane } from '../process/data-plane-process.ts';
import { startScriptedProvider } from '../providers/scripted-provider.ts';

const MEGABYTE = 1024 * 1024;
const LONG_MB = 240;
const STALLED_MB = 100;
const speechInput = z.object({ input: z.coerce.number() });
const PIECE = Buffer.alloc(256 * 1024, 'a');
/**
 * Bytes that may be under way: socket buffers of the kernel on both sides of the gateway, and a little in
 * Node.
 */
const UNDER_WAY_BYTES = 48 * MEGABYTE;
/** Allows for garbage that is not collected yet, which does not grow with the response. */
const GARBAGE_BYTES = 130 * MEGABYTE;

describe('a long answer of speech', () => {
  const stack = new AsyncDisposableStack();
  let provider: Awaited<ReturnType<typeof startSpeechProvider>>;
  let gateway: TestGateway;
  let plane: Awaited<ReturnType<typeof spawnDataPlane>>;
  let rawKey: string;

  beforeAll(async () => {
    provider = stack.use(await startSpeechProvider());
    gateway = stack.use(
      await startGateway({ dataPlanes: 0, document: () => simulatedCatalog(provider.baseUrl) }),
    );
    plane = stack.use(await spawnDataPlane(gateway, 0));
    ({ rawKey } = await gateway.createKey());
    await until(async () => (await countBytes(await speak(1))) === MEGABYTE);
  });
  afterAll(() => stack.disposeAsync());

  it('speech of 240 MB flows to a client that reads steadily, in a fraction of that memory', async () => {
    const memory = watchMemory(plane.child.pid ?? 0);
    const answer = await speak(LONG_MB);
    expect(answer.statusCode).toBe(200);
    let read = 0;
    let maxAhead = 0;
    for await (const chunk of answer) {
      read += chunk.length;
      maxAhead = Math.max(maxAhead, provider.sentBytes() - read);
      // Far slower than the provider can send.
      if (read % (4 * PIECE.length) < chunk.length) await wait(5);
    }
    const grown = memory.stop();
    console.log(
      `${LONG_MB} MB read steadily: memory +${inMegabytes(grown)} MB, provider ahead ${inMegabytes(maxAhead)} MB`,
    );
    expect(read).toBe(LONG_MB * MEGABYTE);
    expect(grown).toBeLessThan(GARBAGE_BYTES);
    expect(maxAhead).toBeLessThan(UNDER_WAY_BYTES);
  });

  it('a provider waits while the client reads nothing, and goes on when it reads', async () => {
    const CLIENTS = 4;
    const memory = watchMemory(plane.child.pid ?? 0);
    const sentBefore = provider.totalBytes();
    const answers = await Promise.all(Array.from({ length: CLIENTS }, () => speak(STALLED_MB)));
    // Until nothing moves any more.
    let sent = -1;
    await until(async () => {
      const before = sent;
      await wait(300);
      sent = provider.totalBytes();
      return sent === before;
    });
    await wait(700);
    expect(provider.totalBytes()).toBe(sent);
    const stalled = sent - sentBefore;
    const grown = memory.stop();
    console.log(
      `${CLIENTS} stalled clients: memory +${inMegabytes(grown)} MB, provider sent ${inMegabytes(stalled)} MB of ${CLIENTS * STALLED_MB} MB`,
    );
    expect(stalled).toBeLessThan(CLIENTS * UNDER_WAY_BYTES);
    expect(grown).toBeLessThan(GARBAGE_BYTES);
    const [first, ...others] = answers;
    for (const answer of others) answer.destroy();
    expect(first && (await countBytes(first))).toBe(STALLED_MB * MEGABYTE);
  });

  /** Sends a request and returns its response, whose body is not read yet. */
  async function speak(megabytes: number): Promise<IncomingMessage> {
    const request = httpRequest(`${plane.baseUrl}/v1/audio/speech`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
    });
    request.end(JSON.stringify({ model: 'sim/speech-free', input: String(megabytes), voice: 'alloy' }));
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined);
    return answer;
  }
});

/** Answers with as many megabytes of audio as its input says, as fast as they are taken. */
async function startSpeechProvider() {
  let last = 0;
  let total = 0;
  function* pieces(bytes: number) {
    for (let sent = 0; sent < bytes; sent += PIECE.length) {
      last = sent + PIECE.length;
      total += PIECE.length;
      yield PIECE;
    }
  }
  const provider = await startScriptedProvider(async (res, { body }) => {
    const { input } = speechInput.parse(JSON.parse(body));
    res.writeHead(200, { 'content-type': 'audio/mpeg' });
    const audio = Readable.from(pieces(input * MEGABYTE), { highWaterMark: 1 });
    await pipeline(audio, res).catch(() => undefined);
  });
  return {
    baseUrl: provider.baseUrl,
    /** Bytes sent so far of the newest response. */
    sentBytes: () => last,
    totalBytes: () => total,
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

async function countBytes(answer: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of answer) bytes += chunk.length;
  return bytes;
}

function inMegabytes(bytes: number): number {
  return Math.round(bytes / MEGABYTE);
}
