/** A difference between the bundled catalogs and a price file that stays, and why. */
export interface Decision {
  file: 'litellm' | 'models-dev';
  models: RegExp;
  /** Prices or other members. */
  members: RegExp;
  why: string;
}

/** Prices that a file has in another amount, or that the catalogs lack. */
export const DECIDED_PRICES: readonly Decision[] = [
  {
    file: 'litellm',
    models: /^openai\/gpt-/,
    members: /^web_search_request_usd$/,
    why: '0.01 is the price of web_search; web_search_preview costs 0.025, and the dearer one is charged',
  },
  {
    file: 'litellm',
    models: /^(?:bedrock|vertex)\/claude-sonnet-4-5$/,
    members: /^tiers\.200000\./,
    why: 'the context of the catalog ends at 200,000 tokens; models.dev has no such tier',
  },
  {
    file: 'litellm',
    models: /^vertex\/gemini-3\.1-pro-preview$/,
    members: /^tiers\.200000\.cache_write_per_million_usd$/,
    why: 'below a tenth of the input: the hour of storage of an explicit cache, which the gateway does not create',
  },
  {
    file: 'litellm',
    models: /^bedrock\/nova-canvas$/,
    members: /^image_usd$/,
    why: 'the catalog has the dearest picture, because there is one price for all',
  },
  {
    file: 'litellm',
    models: /^groq\/whisper-large-v3$/,
    members: /^audio_second_usd$/,
    why: 'litellm rounds 0.111 USD an hour to four digits',
  },
  {
    file: 'models-dev',
    models: /^(?:anthropic|bedrock|vertex)\/claude-sonnet-5-5$/,
    members: /^cached_input_per_million_usd$/,
    why: 'the price of the start, 0.20, was halved; litellm, which is newer, has 0.10',
  },
  {
    file: 'models-dev',
    models: /^azure-openai\/gpt-5\.6-sol$/,
    members: /^(?:tiers\.272000\.)?(?:cached_input|cache_write|input|output)_per_million_usd$/,
    why: 'the price before August 2026, of which models.dev lowered only two; litellm has the lower prices from Azure',
  },
  {
    file: 'models-dev',
    models: /^vertex\/claude-(?:opus-4-[678]|sonnet-4-6)$/,
    members: /^tiers\.200000\./,
    why: 'long contexts of these models cost the same since they left their beta; litellm has no tier',
  },
];

/** Models that a file does not have, or not with the units that the gateway meters. */
export const DECIDED_STATES: readonly Omit<Decision, 'members'>[] = [
  ...(['litellm', 'models-dev'] as const).map((file) => ({
    file,
    models: /^openai\/omni-moderation-latest$/,
    why: 'OpenAI charges nothing for moderation',
  })),
  {
    file: 'litellm',
    models: /^google\/gemini-2\.5-flash-preview-tts$/,
    why: 'priced by tokens; the catalog has an estimate by characters',
  },
  {
    file: 'litellm',
    models: /^groq\/qwen3\.6-27b$/,
    why: 'not listed; models.dev has the price of the catalog',
  },
  {
    file: 'models-dev',
    models: /^anthropic\/claude-haiku-5-5$/,
    why: 'newer than the file; litellm has the price of the catalog',
  },
  {
    file: 'models-dev',
    models:
      /^(?:bedrock\/(?:titan-embed|cohere-embed|cohere-rerank|amazon-rerank|nova-canvas)|cohere\/embed-v4)/,
    why: 'models.dev lists chats; litellm has the price of the catalog, for nova-canvas of the usual picture',
  },
  {
    file: 'models-dev',
    models: /^(?:openai\/(?:tts-1|whisper-1|gpt-4o(?:-mini)?-transcribe)|groq\/whisper-large-v3)$/,
    why: 'not listed, or without the price of audio; litellm has the price of the catalog',
  },
  {
    file: 'models-dev',
    models: /^google\/gemini-2\.5-flash-preview-tts$/,
    why: 'priced by tokens; the catalog has an estimate by characters',
  },
];

/** Prices of the catalogs that a file does not have. */
export const DECIDED_KEPT: readonly Decision[] = [
  {
    file: 'litellm',
    models: /^(?:google|vertex)\/gemini-/,
    members: /^(?:service_tiers\.\w+\.)?(?:tiers\.200000\.)?(?:audio|image)_input_per_million_usd$/,
    why: 'left out where it is that of text, which the catalog says, because the dearest price would count else',
  },
  {
    file: 'litellm',
    models: /^google\/gemini-3\.1-flash-image$/,
    members: /^image_usd$/,
    why: 'free beside the tokens of the picture',
  },
  {
    file: 'litellm',
    models: /^(?:anthropic\/claude-haiku-4-5|openai\/gpt-(?:5\.4|4o))$/,
    members: /^web_search_request_usd$/,
    why: 'missing, or another for each size of context; the siblings of the model have it',
  },
  {
    file: 'litellm',
    models: /^(?:bedrock|vertex)\/claude-sonnet-4-5$/,
    members: /^service_tiers\.batch\./,
    why: 'its batch prices have a bound for long contexts, which the catalog does not have',
  },
  {
    file: 'litellm',
    models: /^(?:anthropic|bedrock|vertex)\/claude-/,
    members: /^service_tiers\.batch\.(?:tiers\.\d+\.)?cache_write_1h_per_million_usd$/,
    why: 'half of the usual price, as every other price of a batch',
  },
  {
    file: 'litellm',
    models: /^groq\/gpt-oss-/,
    members: /^service_tiers\.flex\./,
    why: 'Groq charges its usual price for flex',
  },
  {
    file: 'litellm',
    models: /^openai\/gpt-5\.[45](?:-pro)?$/,
    members: /^service_tiers\.(?:flex|priority)\.tiers\.272000\./,
    why: 'litellm has them for Azure only: twice the usual price for priority, half of it for flex',
  },
  {
    file: 'models-dev',
    models: /./,
    members: /^service_tiers\./,
    why: 'models.dev has no service tiers',
  },
  {
    file: 'models-dev',
    models: /./,
    members:
      /^(?:tiers\.\d+\.)?(?:cache_write_1h_per_million_usd|image_input_per_million_usd|web_search_request_usd|image_usd)$/,
    why: 'models.dev has no such prices',
  },
  {
    file: 'models-dev',
    models: /^(?:google|vertex)\/gemini-/,
    members: /^(?:tiers\.200000\.)?audio_input_per_million_usd$/,
    why: 'left out where it is that of text',
  },
];

/** Prices of a file that cannot be compared. */
export const DECIDED_NOTES: readonly Decision[] = [
  {
    file: 'litellm',
    models: /^(?:bedrock|vertex)\/claude-sonnet-4-5$/,
    members: /^service_tiers\.batch\.tiers$/,
    why: 'the catalog has no long contexts of this model',
  },
  {
    file: 'models-dev',
    models: /^vertex\/claude-(?:opus-4-[678]|sonnet-4-6)$/,
    members: /^service_tiers\.batch\.tiers$/,
    why: 'the file has a bound for long contexts that the catalog does not have, and no batch',
  },
];

/** Contexts, maximum outputs and modalities. */
export const DECIDED_LIMITS: readonly Decision[] = [
  {
    file: 'litellm',
    models: /^(?:bedrock|vertex)\/claude-sonnet-4-6$/,
    members: /^max_output_tokens$/,
    why: 'models.dev has 128,000, as the model has at Anthropic',
  },
  {
    file: 'litellm',
    models: /^(?:bedrock\/nova-2-lite|cohere\/command-r(?:7b)?)$/,
    members: /^max_output_tokens$/,
    why: "models.dev has the catalog's, which is the provider's own number",
  },
  {
    file: 'litellm',
    models: /^mistral\/mistral-small-latest$/,
    members: /^context_length$/,
    why: 'models.dev has 256,000, as the model card',
  },
  {
    file: 'litellm',
    models: /^mistral\//,
    members: /^max_output_tokens$/,
    why: 'Mistral has no maximum of its own: both files repeat the context',
  },
  {
    file: 'models-dev',
    models: /^mistral\//,
    members: /^(?:max_output_tokens|input_modalities)$/,
    why: 'Mistral has no maximum of its own; whether the names "latest" take images changes with their model',
  },
  {
    file: 'models-dev',
    models: /^bedrock\/(?:nova-pro|gpt-oss-120b)$/,
    members: /^(?:input_modalities|context_length|max_output_tokens)$/,
    why: 'litellm has the numbers of the catalog; the gateway sends Nova Pro no videos',
  },
  {
    file: 'models-dev',
    models: /^openai\/gpt-5\.4-(?:mini|nano)$/,
    members: /^input_modalities$/,
    why: 'litellm has files, too, as every model of OpenAI with images',
  },
];
