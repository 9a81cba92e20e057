import type { CatalogDocumentInput } from '@model-gateway/shared';
import { modelEntry, simulatedCatalog } from '@model-gateway/test-kit';

/** Returns the simulated catalog with models whose ids are as long as those of real providers. */
export function demoCatalog(baseUrl: string): CatalogDocumentInput {
  const { providers, models } = simulatedCatalog(baseUrl);
  const pricing = { input_per_million_usd: '3.00', output_per_million_usd: '15.00' };
  const long = [
    ['bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'Claude Sonnet 4.5 on Bedrock'],
    ['vertex/llama-4-maverick-17b-128e-instruct-maas', 'Llama 4 Maverick on Vertex AI'],
  ].map(([id = '', name = '']) =>
    modelEntry(
      id,
      { sim: 'sim-chat-pro' },
      { name, tier: 'paid', pricing, context_length: 200_000, input_modalities: ['text', 'image'] },
    ),
  );
  return { providers, models: [...long, ...models] };
}
