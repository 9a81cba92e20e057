import { setTimeout as wait } from 'node:timers/promises';
import { chatBody, postJson, type TestGateway } from '@model-gateway/test-kit';

/** Creates a key, and returns a function that sends a short chat with it and returns its status. */
export async function askerOf(gateway: TestGateway, model: string): Promise<() => Promise<number>> {
  const { rawKey } = await gateway.createKey();
  const body = chatBody({ model, max_tokens: 5 });
  return async () => {
    const response = await postJson(gateway.baseUrl, rawKey, 'chat/completions', body);
    await response.text();
    return response.status;
  };
}

/** Sends so many requests, `atOnce` at a time. @returns each status once */
export async function askInBursts(
  ask: () => Promise<number>,
  requests: number,
  atOnce: number,
): Promise<number[]> {
  const statuses = new Set<number>();
  for (let sent = 0; sent < requests; sent += atOnce) {
    for (const status of await Promise.all(Array.from({ length: atOnce }, ask))) statuses.add(status);
  }
  return [...statuses];
}

/** Pause after each burst: without it, bursts take a whole core while the test waits. */
const PAUSE_MS = 100;

/** Sends at least one burst of `atOnce` requests, until something happens. @returns each status once */
export async function askUntil(
  hasHappened: () => boolean,
  ask: () => Promise<number>,
  atOnce: number,
): Promise<number[]> {
  const statuses = new Set<number>();
  do {
    for (const status of await askInBursts(ask, atOnce, atOnce)) statuses.add(status);
    await wait(PAUSE_MS);
  } while (!hasHappened());
  return [...statuses];
}
