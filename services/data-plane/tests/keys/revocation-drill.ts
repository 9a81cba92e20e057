import { chatBody, postJson, type TestGateway } from '@model-gateway/test-kit';
import { expect } from 'vitest';

/** How many rounds run at once; they share only the data planes. */
const LANES = 10;

/** Sends a chat completion to one data plane. */
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
      // Under load a look-up may exceed its deadline and get 503: the request is then sent again.
      let used = await useEverywhere(key.rawKey);
      while (used.includes(503)) used = await useEverywhere(key.rawKey);
      expect(used).toEqual(planes.map(() => 200));
      // A data plane that was too busy to confirm the revocation in time is named, and the key is revoked
      // again.
      while ((await gateway.revokeKey(key.id)).unconfirmedInstances.length > 0);
      expect(await useEverywhere(key.rawKey)).toEqual(planes.map(() => 401));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
