import { addPool, chatBody, postJson, type TestGateway, until } from '@model-gateway/test-kit';
import { expect } from 'vitest';
import { addSeat, createTeam } from '../money/money-fixture.ts';

export interface ChatOptions {
  plane?: number;
  model?: string;
  body?: object;
}

/** Sends a chat, whose response is not read yet. */
export function chat(
  gateway: TestGateway,
  rawKey: string,
  { plane = 0, model = 'sim/chat-free', body = {} }: ChatOptions = {},
): Promise<Response> {
  return postJson(
    gateway.urlOf(plane),
    rawKey,
    'chat/completions',
    chatBody({ model, max_tokens: 1, ...body }),
  );
}

/**
 * Sends `requests` at once, spread evenly over the data planes.
 * @param keys taken in turn
 * @returns how many each data plane let through
 * @throws Error for any status but 200 and 429
 */
export async function burst(
  gateway: TestGateway,
  keys: readonly string[],
  requests: number,
): Promise<number[]> {
  const planes = gateway.dataPlanes.length;
  const admitted = Array.from({ length: planes }, () => 0);
  await Promise.all(
    Array.from({ length: requests }, async (_, index) => {
      const plane = index % planes;
      const response = await chat(gateway, keys[Math.floor(index / planes) % keys.length] ?? '', { plane });
      const text = await response.text();
      if (response.status === 200) admitted[plane] = (admitted[plane] ?? 0) + 1;
      else if (response.status !== 429) throw new Error(`${response.status}: ${text}`);
    }),
  );
  return admitted;
}

/**
 * Sends `requests` at once on one key, spread evenly over the data planes.
 * @returns how many were let through; some of them were not
 */
export async function burstOn(
  gateway: TestGateway,
  rawKey: string,
  model: string,
  requests: number,
): Promise<number> {
  const planes = gateway.dataPlanes.length;
  const answers = await Promise.all(
    Array.from({ length: requests }, async (_, index) => {
      const response = await chat(gateway, rawKey, { plane: index % planes, model });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  expect(new Set(answers)).toEqual(new Set([200, 429]));
  return answers.filter((status) => status === 200).length;
}

/**
 * Uses a key once on every data plane, so that what follows measures limits and not look-ups.
 * @returns how many requests that were
 */
export async function useEverywhere(gateway: TestGateway, rawKey: string): Promise<number> {
  const used = await Promise.all(
    gateway.dataPlanes.map(async (_, plane) => {
      // Under load a look-up may exceed its deadline and get 503: the request is then sent again.
      await until(async () => {
        const response = await chat(gateway, rawKey, { plane });
        const text = await response.text();
        if (response.status !== 200 && response.status !== 503)
          throw new Error(`${response.status}: ${text}`);
        return response.status === 200;
      });
    }),
  );
  return used.length;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Keys of several accounts on seats of one team. */
export async function keysOnOneTeam(
  gateway: TestGateway,
  count: number,
  requestsPerMinute: number,
): Promise<string[]> {
  const teamId = await createTeam(gateway, { requestsPerMinute });
  await addPool(gateway.admin, { kind: 'team', id: teamId }, '1000000');
  return Promise.all(Array.from({ length: count }, async () => (await addSeat(gateway, teamId)).rawKey));
}
