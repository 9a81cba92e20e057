import { chatBody, postJson, type TestGateway } from '@model-gateway/test-kit';
import { expect } from 'vitest';

/** Rounds under way at once: they share nothing but the planes. */
const LANES = 10;

/** One chat completion with a key, on a data plane. */
export function complete(gateway: TestGateway, dataPlane: number, rawKey: string, body: object = {}) {
  return postJson(gateway.urlOf(dataPlane), rawKey, 'chat/completions', chatBody({ max_tokens: 1, ...body }));
}

/**
 * Create, use, revoke, use: the request after the revoke answer is 401 every single time, on every data
 * plane.
 */
export async function revocationDrill(gateway: TestGateway, rounds: number): Promise<void> {
  const accountId = await gateway.createAccount();
  const planes = gateway.dataPlanes.map((_, index) => index);
  const useEverywhere = async (rawKey: string) => {
    const responses = await Promise.all(planes.map((plane) => complete(gateway, plane, rawKey)));
    await Promise.all(responses.map((response) => response.arrayBuffer()));
    return responses.map(({ status }) => status);
  };
  let round = 0;
  const lane = async () => {
    while (round++ < rounds) {
      const key = await gateway.createKey(accountId);
      // A machine under load may take longer for a look-up than its deadline: 503, and asked again.
      let used = await useEverywhere(key.rawKey);
      while (used.includes(503)) used = await useEverywhere(key.rawKey);
      expect(used).toEqual(planes.map(() => 200));
      // Where a data plane was too busy to confirm it in time, this is said, and the revocation is asked for
      // again.
      while ((await gateway.revokeKey(key.id)).unconfirmedInstances.length > 0);
      expect(await useEverywhere(key.rawKey)).toEqual(planes.map(() => 401));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
