import {
  rememberMinutes,
  startGateway,
  TEST_SECRETS,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runWith } from './gatewayctl-fixture.ts';

const MINUTE_MS = 60_000;

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({
    history: (databaseUrl) =>
      rememberMinutes(databaseUrl, [
        { modelId: 'sim/embed-free', agoMs: 40 * MINUTE_MS, requests: 4, failed: 4 },
        { modelId: 'sim/image-free', agoMs: 30 * MINUTE_MS, requests: 9, failed: 0 },
      ]),
  });
});
afterAll(() => gateway.close());

const status = async (...more: string[]) => {
  const { code, out } = await runWith(
    {
      CONTROL_PLANE_ADDRESS: `127.0.0.1:${gateway.controlPlanes[0]?.grpcPort}`,
      ADMIN_TOKEN: TEST_SECRETS.ADMIN_TOKEN,
    },
    ['status', ...more],
  );
  expect(code).toBe(0);
  return out;
};

async function chat(simulate: object) {
  const { rawKey } = await gateway.createKey();
  const response = await fetch(`${gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim/chat-free', messages: [{ role: 'user', content: 'hi' }], simulate }),
  });
  await response.text();
}

describe('gatewayctl status', () => {
  it('tells models without traffic from those that are well, and what failed when it was last asked', async () => {
    const out = await status();
    expect(out).toMatch(/^models +1 failed when last asked, 15 no traffic$/m);
    expect(out).toMatch(/^health +sim\/embed-free: no traffic since .* UTC, and the last answers failed\.$/m);
    expect(out).toMatch(/^sim\/embed-free +failed when last asked +No traffic since .*$/m);
  });

  it('names what is wrong and since when, as text and as JSON', async () => {
    for (let count = 0; count < 4; count++) await chat({ status: 500 });
    await until(async () => (await status()).includes('4 of 4 answers'));
    const out = await status();
    expect(out).toMatch(
      /^health +sim: failing since .* UTC, 4 of 4 answers in the last 5 minutes failed\.$/m,
    );
    expect(out).toMatch(/^sim +major outage +Failing since .* UTC, 4 of 4 answers/m);
    const { health } = JSON.parse(await status('--json'));
    expect(health.models).toHaveLength(16);
    expect(health.models.find(({ id }: { id: string }) => id === 'sim/chat-free')).toMatchObject({
      status: 'major_outage',
      state: 'major_outage',
      sentence: expect.stringMatching(
        /^Failing since .* UTC, 4 of 4 answers in the last 5 minutes failed\.$/,
      ),
      since: expect.any(Number),
      success_5m: 0,
      requests_5m: 4,
      gave_up_5m: 0,
    });
  });
});
