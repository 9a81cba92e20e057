import { type CatalogDocumentInput, type ProviderKind, providerTraits } from '@model-gateway/shared';
import { simulatedServiceAccount } from '@model-gateway/test-kit';

type ProviderInput = CatalogDocumentInput['providers'][number];

/** A kind of provider, and how its simulation provokes what the matrix tests. */
export interface MatrixKind {
  /** The title of its column. */
  title: string;
  kind: ProviderKind;
  /** Its entry in the catalog without `id`, `name` and `kind`. */
  provider(baseUrl: string): Omit<ProviderInput, 'id' | 'name' | 'kind'>;
  /** The provider's name of the model. */
  upstreamModel: string;
  /** The API that chats in other APIs are translated to, where the catalog names one. */
  prefer?: 'responses';
  /** Its word for an answer that was stopped for what it says: the knob `stop_reason` of the simulation. */
  refusalReason: string;
  /** How it words that a prompt is too long. */
  tooLong: string;
  /** The callers for whom its simulation thinks, and checks that its thoughts come back unchanged. */
  checksThoughtsOf: readonly string[];
}

/** Matches a signed thought in a request. */
export const SIGNED_THOUGHT =
  /"(?:thoughtSignature|thought_signature|signature|encrypted_content|data)":"[\w+/=-]{40}/;

/** Adding a kind to the matrix is one entry. */
export const MATRIX_KINDS: readonly MatrixKind[] = [
  {
    title: 'OpenAI',
    kind: 'openai-compatible',
    provider: (base_url) => ({ base_url, credential_env: 'SIMULATED_API_KEY' }),
    upstreamModel: 'sim-chat-pro',
    refusalReason: 'content_filter',
    tooLong:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    checksThoughtsOf: [],
  },
  {
    title: 'OpenAI Responses',
    kind: 'openai-compatible',
    provider: (base_url) => ({ base_url, credential_env: 'SIMULATED_API_KEY', apis: ['chat', 'responses'] }),
    upstreamModel: 'sim-gpt-pro',
    prefer: 'responses',
    refusalReason: 'content_filter',
    tooLong: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
    checksThoughtsOf: ['Chat', 'Messages', 'Responses'],
  },
  strictServer(
    'Mistral',
    'Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
  ),
  strictServer('Groq', 'Please reduce the length of the messages or completion.'),
  strictServer(
    'Cerebras',
    'Please reduce the length of the messages or completion. Current length is 140000',
  ),
  strictServer(
    'Moonshot',
    'Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)',
  ),
  strictServer(
    'DeepSeek',
    "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens.",
  ),
  strictServer('vLLM', "This model's maximum context length is 32768 tokens. However, you requested 40000."),
  {
    title: 'Anthropic',
    kind: 'anthropic',
    provider: (base_url) => ({ base_url, credential_env: 'SIMULATED_API_KEY' }),
    upstreamModel: 'sim-claude-pro',
    refusalReason: 'refusal',
    tooLong: 'prompt is too long: 210000 tokens > 200000 maximum',
    checksThoughtsOf: ['Chat', 'Messages', 'Responses'],
  },
  {
    title: 'Gemini',
    kind: 'gemini',
    provider: (baseUrl) => ({
      base_url: new URL('v1beta', baseUrl).href,
      credential_env: 'SIMULATED_API_KEY',
    }),
    upstreamModel: 'sim-gemini-pro',
    refusalReason: 'SAFETY',
    tooLong: 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
    checksThoughtsOf: ['Chat', 'Messages', 'Responses'],
  },
  {
    title: 'Vertex',
    kind: 'vertex',
    provider: vertex,
    upstreamModel: 'sim-gemini-pro',
    refusalReason: 'SAFETY',
    tooLong: 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
    checksThoughtsOf: ['Chat', 'Messages', 'Responses'],
  },
  {
    title: 'Vertex Claude',
    kind: 'vertex',
    provider: vertex,
    upstreamModel: 'publishers/anthropic/models/sim-claude-pro',
    refusalReason: 'refusal',
    tooLong: 'prompt is too long: 210000 tokens > 200000 maximum',
    checksThoughtsOf: ['Chat', 'Messages', 'Responses'],
  },
  {
    title: 'Azure',
    kind: 'azure-openai',
    provider: (baseUrl) => ({
      base_url: new URL('openai/v1', baseUrl).href,
      credential_env: 'SIMULATED_API_KEY',
    }),
    upstreamModel: 'sim-chat-pro',
    refusalReason: 'content_filter',
    tooLong:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    // Responses pass to its own.
    checksThoughtsOf: ['Responses'],
  },
  {
    title: 'Bedrock Converse',
    kind: 'bedrock',
    provider: bedrock,
    upstreamModel: 'amazon.nova-2-sim-v1:0',
    refusalReason: 'guardrail_intervened',
    tooLong: 'Input is too long for requested model.',
    checksThoughtsOf: ['Chat', 'Messages', 'Responses'],
  },
  {
    title: 'Bedrock Claude',
    kind: 'bedrock',
    provider: bedrock,
    upstreamModel: 'anthropic.sim-claude-pro',
    refusalReason: 'refusal',
    tooLong: 'Input is too long for requested model.',
    checksThoughtsOf: ['Chat', 'Messages', 'Responses'],
  },
  {
    title: 'Cohere',
    kind: 'cohere',
    provider: (baseUrl) => ({ base_url: new URL(baseUrl).origin, credential_env: 'SIMULATED_API_KEY' }),
    upstreamModel: 'sim-command-pro',
    refusalReason: 'ERROR_TOXIC',
    tooLong: 'too many tokens: total number of tokens in the prompt exceeds the limit of 256000',
    checksThoughtsOf: [],
  },
];

/** Servers that differ in what the matrix itself proves: members, errors, and where their usage stands. */
const OTHER_SERVERS: ReadonlySet<string> = new Set(['Cerebras', 'Moonshot', 'DeepSeek', 'vLLM']);

/** The kinds at which client libraries and agents run: to them, the other servers are one like OpenAI. */
export const CLIENT_KINDS: readonly MatrixKind[] = MATRIX_KINDS.filter(
  ({ title }) => !OTHER_SERVERS.has(title),
);

/** A server with OpenAI's API that refuses more than others do. @param title the name of its traits */
function strictServer(title: string, tooLong: string): MatrixKind {
  const traits = providerTraits.parse(title.toLowerCase());
  return {
    title,
    kind: 'openai-compatible',
    provider: (baseUrl) => ({
      base_url: new URL(`/${title.toLowerCase()}/v1`, baseUrl).href,
      credential_env: 'SIMULATED_API_KEY',
      traits,
    }),
    upstreamModel: 'sim-chat-pro',
    refusalReason: 'content_filter',
    tooLong,
    checksThoughtsOf: [],
  };
}

/** The base URL of a runtime has no path. */
function bedrock(baseUrl: string) {
  return { region: 'eu-central-1', base_url: new URL(baseUrl).origin, credential_env: 'SIMULATED_API_KEY' };
}

/** Its project is that of the service account. */
function vertex(baseUrl: string) {
  return {
    base_url: new URL('/v1/projects/-/locations/europe-west1', baseUrl).href,
    credential_env: 'SIMULATED_SERVICE_ACCOUNT',
  };
}

/** Environment of a data plane for them, besides the key. @param baseUrl of the simulated provider */
export function credentialsOfKinds(baseUrl: string): Record<string, string> {
  return { SIMULATED_SERVICE_ACCOUNT: simulatedServiceAccount(baseUrl) };
}
