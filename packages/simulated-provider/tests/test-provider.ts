import { afterAll, beforeEach } from 'vitest';
import {
  type SimulatedProvider,
  type SimulatedProviderOptions,
  startSimulatedProvider,
} from '../src/index.ts';

export const API_KEY = 'sk-simulated-test';

/** Starts a provider without delays for the tests of a file, and clears it before each of them. */
export async function testProvider(
  options: SimulatedProviderOptions = { apiKey: API_KEY },
): Promise<SimulatedProvider> {
  const provider = await startSimulatedProvider({ tokenDelayMs: 0, ...options });
  afterAll(() => provider.close());
  beforeEach(() => provider.clear());
  return provider;
}

/** Sends a chat completion with a key, without a client library. */
export function sendChat({ baseUrl }: SimulatedProvider, body: object): Promise<Response> {
  return fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}` },
    body: JSON.stringify({ model: 'sim-chat-free', ...body }),
  });
}
