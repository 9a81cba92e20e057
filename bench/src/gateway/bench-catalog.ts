import type { CatalogDocumentInput } from '@model-gateway/shared';
import { MODEL } from '../wire/answer-plan.ts';
import { CLAUDE_MODEL } from '../wire/fixed-claude-at-bedrock.ts';
import { COHERE_MODEL } from '../wire/fixed-cohere.ts';
import { GEMINI_MODEL } from '../wire/fixed-content.ts';
import { CONVERSE_MODEL } from '../wire/fixed-converse.ts';
import { MESSAGES_MODEL } from '../wire/fixed-message.ts';
import { RESPONSES_MODEL } from '../wire/fixed-response.ts';

export const PROVIDER_CREDENTIAL = 'BENCH_PROVIDER_KEY';

/** The names of so many paid models; all targets know the first one. */
export function modelNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? MODEL : `${MODEL}-${index}`));
}

/** Models of one provider that speaks Chat Completions: every release knows what is in it. */
export function chatCatalog(providerUrl: string, models: number): CatalogDocumentInput {
  return {
    providers: [
      { ...providerAt(providerUrl), id: 'fixed', name: 'Fixed answers', kind: 'openai-compatible' },
    ],
    models: modelNames(models).map((id) => model(id, { provider: 'fixed', model: MODEL })),
  };
}

/** The same, and a model of each other kind of provider. */
export function benchCatalog(providerUrl: string, models: number): CatalogDocumentInput {
  const provider = providerAt(providerUrl);
  const chat = chatCatalog(providerUrl, models);
  return {
    providers: [
      ...chat.providers,
      { ...provider, id: 'fixed-messages', name: 'Fixed messages', kind: 'anthropic' },
      {
        ...provider,
        id: 'fixed-responses',
        name: 'Fixed responses',
        kind: 'openai-compatible',
        apis: ['chat', 'responses'],
      },
      { ...provider, id: 'fixed-gemini', name: 'Fixed contents', kind: 'gemini' },
      { ...provider, id: 'fixed-cohere', name: 'Fixed Cohere', kind: 'cohere', base_url: providerUrl },
      {
        ...provider,
        id: 'fixed-bedrock',
        name: 'Fixed Bedrock',
        kind: 'bedrock',
        region: 'eu-central-1',
        base_url: providerUrl,
      },
    ],
    models: [
      ...chat.models,
      model(RESPONSES_MODEL, { provider: 'fixed-responses', model: RESPONSES_MODEL }),
      model(MESSAGES_MODEL, { provider: 'fixed-messages', model: MESSAGES_MODEL }),
      model(GEMINI_MODEL.id, { provider: 'fixed-gemini', model: GEMINI_MODEL.upstream }),
      model(COHERE_MODEL.id, { provider: 'fixed-cohere', model: COHERE_MODEL.upstream }),
      model(CONVERSE_MODEL.id, { provider: 'fixed-bedrock', model: CONVERSE_MODEL.upstream }),
      model(CLAUDE_MODEL.id, { provider: 'fixed-bedrock', model: CLAUDE_MODEL.upstream }),
    ],
  };
}

function providerAt(url: string) {
  return { base_url: `${url}/v1`, credential_env: PROVIDER_CREDENTIAL };
}

function model(id: string, upstream: { provider: string; model: string }) {
  return {
    id,
    name: id,
    capability: 'chat' as const,
    tier: 'paid' as const,
    context_length: 200_000,
    pricing: { input_per_million_usd: '0.10', output_per_million_usd: '0.40' },
    upstreams: [upstream],
  };
}
