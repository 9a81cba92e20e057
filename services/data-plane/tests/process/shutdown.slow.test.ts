import { chatBody, postJson, readAll, startGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { spawnDataPlane } from './data-plane-process.ts';

/** Opens a stream and reads its first chunk. */
async function openStream(baseUrl: string, rawKey: string, simulate: object) {
  for (;;) {
    const response = await postJson(
      baseUrl,
      rawKey,
      'chat/completions',
      chatBody({ stream: true, simulate }),
    );
    // The process has no catalog yet.
    if (response.status === 503) continue;
    expect(response.status).toBe(200);
    const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
    const first = Buffer.from((await reader.read()).value ?? []).toString();
    reader.releaseLock();
    return { rest: readAll(response).then(({ text }) => first + text) };
  }
}

describe('a stopping data plane', () => {
  it('a stopping data plane lets a stream end, also after several signals', async () => {
    await using gateway = await startGateway();
    const { rawKey } = await gateway.createKey();
    const plane = await spawnDataPlane(gateway, 10_000);
    const stream = await openStream(plane.baseUrl, rawKey, {
      token_delay_ms: 20,
      content: 'word '.repeat(30),
    });
    plane.child.kill('SIGTERM');
    plane.child.kill('SIGTERM');
    expect(await stream.rest).toMatch(/data: \[DONE\]\n\n$/);
    expect(await plane.exit).toEqual([0, null]);
  });

  it('a stopping data plane ends a slow stream with an error event, and exits with 0', async () => {
    await using gateway = await startGateway();
    const { rawKey } = await gateway.createKey();
    const plane = await spawnDataPlane(gateway, 300);
    const stream = await openStream(plane.baseUrl, rawKey, { hang: { after_events: 2 } });
    plane.child.kill('SIGTERM');
    const received = await stream.rest;
    expect(received).toMatch(/data: \{"error":\{.*"type":"service_unavailable".*\}\}\n\n$/);
    expect(received).not.toContain('[DONE]');
    expect(await plane.exit).toEqual([0, null]);
    expect(await plane.log).toMatch(/"outcome":"cut"/);
  });
});
