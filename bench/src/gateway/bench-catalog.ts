import type { CatalogDocumentInput } from '@model-gateway/shared';
import { MODEL } from '../wire/answer-plan.ts';
import { STREAMED_ANSWERS } from '../wire/streamed-answers.ts';

export const PROVIDER_CREDENTIAL = 'BENCH_PROVIDER_KEY';

/** The price of a million tokens. */
export const PRICE_USD = { input: 0.1, output: 0.4 };

/** Returns the names of paid models. All targets know the first one. */
export function modelNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? MODEL : `${MODEL}-${index}`));
}

/** Returns models of one provider of Chat Completions, which every release supports. */
export function chatCatalog(providerUrl: string, models: number): CatalogDocumentInput {
  return {
    providers: [
      { ...providerAt(providerUrl), id: 'fixed', name: 'Fixed answers', kind: 'openai-compatible' },
    ],
    models: modelNames(models).map((id) => model(id, { provider: 'fixed', model: MODEL })),
  };
}

/** Adds a model of each other kind of provider. */
export function benchCatalog(providerUrl: string, models: number): CatalogDocumentInput {
  const provider = providerAt(providerUrl);
  const chat = chatCatalog(providerUrl, models);
  const bedrock = { kind: 'bedrock' as const, region: 'eu-central-1', base_url: providerUrl };
  const responses = { kind: 'openai-compatible' as const, apis: ['chat' as const, 'responses' as const] };
  const { chat: _, ...others } = STREAMED_ANSWERS;
  return {
    providers: [
      ...chat.providers,
      { ...provider, id: 'fixed-messages', name: 'Fixed messages', kind: 'anthropic' },
      { ...provider, id: 'fixed-responses', name: 'Fixed responses', ...responses },
      { ...provider, id: 'fixed-gemini', name: 'Fixed contents', kind: 'gemini' },
      { ...provider, id: 'fixed-cohere', name: 'Fixed Cohere', kind: 'cohere', base_url: providerUrl },
      { ...provider, id: 'fixed-converse', name: 'Fixed Converse', ...bedrock },
      { ...provider, id: 'fixed-claude', name: 'Fixed Claude', ...bedrock },
    ],
    models: [
      ...chat.models,
      ...Object.entries(others).map(([api, answer]) => {
        const { apis, id, upstream } = answer.model;
        return model(id, { provider: `fixed-${api}`, model: upstream, apis });
      }),
    ],
  };
}

function providerAt(url: string) {
  return { base_url: `${url}/v1`, credential_env: PROVIDER_CREDENTIAL };
}

function model(id: string, upstream: { provider: string; model: string; apis?: 'responses'[] | undefined }) {
  return {
    id,
    name: id,
    capability: 'chat' as const,
    tier: 'paid' as const,
    context_length: 200_000,
    pricing: {
      input_per_million_usd: PRICE_USD.input.toFixed(2),
      output_per_million_usd: PRICE_USD.output.toFixed(2),
    },
    upstreams: [upstream],
  };
}
