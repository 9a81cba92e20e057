import { chatBody, postJson, readAll, watchLag, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { MESSAGES_API, type OtherApi, RESPONSES_API } from '../endpoints/apis.ts';
import { bothApis, CHAT, CLAUDE } from '../endpoints/both-apis.ts';

const gateway = withGateway({ document: bothApis, dataPlanes: 2 });

async function open(api: OtherApi, baseUrl: string, rawKey: string, model: string) {
  gateway.provider.script({ token_delay_ms: 20, content: 'word '.repeat(2_000) });
  const body = api.body({ model, stream: true, ...api.length(5_000) });
  const response = await postJson(baseUrl, rawKey, api.path, body);
  expect(response.status).toBe(200);
  const ended = readAll(response).then((read) => ({ ...read, endedAtMs: performance.now() }));
  return { ended };
}

const STREAMS = [MESSAGES_API, RESPONSES_API].flatMap((api) =>
  [CLAUDE, CHAT].map((model) => ({ api, name: api.name, model })),
);
/** Reads the error in a stream that is cut off. */
const REVOKED = {
  [MESSAGES_API.name]: { type: 'authentication_error', code: 'invalid_api_key' },
  [RESPONSES_API.name]: { code: 'server_error', message: expect.stringContaining('revoked') },
};
const DRAINED = {
  [MESSAGES_API.name]: { type: 'overloaded_error' },
  [RESPONSES_API.name]: { code: 'server_error' },
};

describe.each(STREAMS)('an open stream of $name from $model', ({ api, model }) => {
  it('a stream ends within a second when its key is revoked, with an event that says so', async () => {
    const key = await gateway.createKey();
    const streams = await Promise.all(
      [0, 1].map((plane) => open(api, gateway.urlOf(plane), key.rawKey, model)),
    );
    using lag = watchLag();
    const revokedAtMs = performance.now();
    await gateway.revokeKey(key.id);
    for (const { endedAtMs, isBroken, text } of await Promise.all(streams.map(({ ended }) => ended))) {
      expect(endedAtMs - revokedAtMs).toBeLessThan(1_000 + lag.allowanceMs());
      expect(isBroken).toBe(true);
      expect(text).not.toMatch(api.end);
      expect(api.failure(text)).toMatchObject(REVOKED[api.name] ?? {});
    }
    const refused = await gateway.post(api.path, api.body({ model }), { key: key.rawKey });
    expect(refused.status).toBe(401);
  });

  it('a stream ends in an error event when the data plane has drained for too long', async () => {
    const plane = await gateway.startDataPlane({ DRAIN_TIMEOUT_MS: '300' });
    const { rawKey } = await gateway.createKey();
    const stream = await open(api, `http://127.0.0.1:${plane.port}`, rawKey, model);
    await plane.close();
    const { isBroken, text } = await stream.ended;
    expect(isBroken).toBe(true);
    expect(text).not.toMatch(api.end);
    expect(api.failure(text)).toMatchObject(DRAINED[api.name] ?? {});
  });
});

it('a revoked key cannot count tokens', async () => {
  const { id, rawKey } = await gateway.createKey();
  await gateway.revokeKey(id);
  const refused = await gateway.post('messages/count_tokens', chatBody(), { key: rawKey });
  expect(refused.status).toBe(401);
});
