import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '@model-gateway/service-kit';
import type { CatalogDocument, CatalogModel } from '@model-gateway/shared';
import { z } from 'zod';
import { isUsable } from '../catalog/is-usable.ts';

/** A catalog that was applied a moment ago reaches the data plane within a second. */
const NOT_FOUND_RETRY_MS = 10_000;
const CALL_TIMEOUT_MS = 60_000;

export interface FirstChat {
  model: string;
  durationMs: number;
  /** Undefined when the chat was answered. */
  failure: string | undefined;
}

const failureBody = z.object({ error: z.object({ message: z.string(), code: z.string() }) });

/**
 * Chooses the chat model for the first request. Prefers a model with a credential, then one of the simulated
 * provider, then a free one.
 * @param environment with the providers' credentials
 */
export function chooseChatModel(
  catalog: CatalogDocument,
  simulatedBaseUrl: string,
  environment: Environment,
): CatalogModel | undefined {
  const simulated = new Set(
    catalog.providers.filter(({ base_url }) => base_url === simulatedBaseUrl).map(({ id }) => id),
  );
  const configured = new Set(
    catalog.providers.filter((provider) => isUsable(provider, environment)).map(({ id }) => id),
  );
  const rank = ({ tier, upstreams }: CatalogModel) =>
    (upstreams.some(({ provider }) => configured.has(provider)) ? 0 : 4) +
    (upstreams.some(({ provider }) => simulated.has(provider)) ? 0 : 2) +
    (tier === 'free' ? 0 : 1);
  return catalog.models
    .filter(({ capability }) => capability === 'chat')
    .sort((left, right) => rank(left) - rank(right))[0];
}

/**
 * Makes one real chat completion through the data plane's public port. A failure is a result, too, because
 * the catalog may be the user's own.
 * @param baseUrl with /v1
 * @throws the signal's reason
 */
export async function firstChat(
  baseUrl: string,
  apiKey: string,
  model: string,
  signal: AbortSignal,
): Promise<FirstChat> {
  const startedAtMs = performance.now();
  for (;;) {
    const sentAtMs = performance.now();
    const { failure, code } = await chat(baseUrl, apiKey, model, signal);
    const isOver = performance.now() - startedAtMs >= NOT_FOUND_RETRY_MS;
    if (code !== 'model_not_found' || isOver) {
      return { model, durationMs: performance.now() - sentAtMs, failure };
    }
    await wait(50);
  }
}

async function chat(
  baseUrl: string,
  apiKey: string,
  model: string,
  signal: AbortSignal,
): Promise<{ failure: string | undefined; code?: string | undefined }> {
  try {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 16 }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_TIMEOUT_MS)]),
    });
    const body: unknown = await response.json();
    if (response.ok) return { failure: undefined };
    const error = failureBody.safeParse(body).data?.error;
    return { failure: `${response.status} ${error?.message ?? ''}`.trim(), code: error?.code };
  } catch (error) {
    signal.throwIfAborted();
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}
