import type { CatalogDocumentInput } from '@model-gateway/shared';
import { modelEntry, simulatedAwsSecret } from '@model-gateway/test-kit';

const REGION = 'eu-central-1';
const PRICES = {
  input_per_million_usd: '3',
  cached_input_per_million_usd: '0.3',
  cache_write_per_million_usd: '3.75',
  cache_write_1h_per_million_usd: '6',
  output_per_million_usd: '15',
};

/** The models of the simulated runtime, by the gateway's ids of them. */
const MODELS = {
  'bedrock/claude': 'anthropic.sim-claude-pro',
  'bedrock/nova': 'amazon.nova-2-sim-v1:0',
  'bedrock/llama': 'meta.sim-llama-v1:0',
  'bedrock/profile': 'eu.anthropic.sim-claude-pro',
};

/** @param baseUrl of the simulated provider; that of a runtime has no path */
export function bedrockDocument(baseUrl: string, credential_env?: string): CatalogDocumentInput {
  return {
    providers: [
      {
        id: 'bedrock',
        name: 'Bedrock',
        kind: 'bedrock',
        region: REGION,
        base_url: new URL(baseUrl).origin,
        ...(credential_env === undefined ? {} : { credential_env }),
      },
    ],
    models: Object.entries(MODELS).map(([id, model]) =>
      modelEntry(id, { bedrock: model }, { tier: 'paid', max_output_tokens: 8_000, pricing: PRICES }),
    ),
  };
}

/** Environment of a process that runs with these keys. */
export function awsEnvironment(accessKeyId: string): Record<string, string> {
  return {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: simulatedAwsSecret(accessKeyId),
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}
