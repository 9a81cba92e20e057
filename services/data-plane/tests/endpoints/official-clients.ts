import Anthropic from '@anthropic-ai/sdk';
import type { TestGateway } from '@model-gateway/test-kit';
import OpenAI from 'openai';

type Gateway = Pick<TestGateway, 'baseUrl'> & { rawKey?: string };

/** Returns OpenAI's client, which retries nothing, with the key of the gateway or another one. */
export function openAiOf({ baseUrl, rawKey = '' }: Gateway, apiKey = rawKey): OpenAI {
  return new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0 });
}

/** Returns Anthropic's client, which retries nothing, with the key of the gateway or another one. */
export function anthropicOf({ baseUrl, rawKey = '' }: Gateway, apiKey = rawKey): Anthropic {
  return new Anthropic({ baseURL: baseUrl, apiKey, maxRetries: 0 });
}
