import { z } from 'zod';
import { parseUsd } from '../billing/money.ts';
import { isReservedVariable } from './reserved-variables.ts';

/** The catalog file (docs: operations, "Catalog file"): providers and models, declaratively. */

export const capability = z.enum(['chat', 'embeddings', 'rerank', 'images', 'speech', 'transcription']);
export type Capability = z.infer<typeof capability>;

export const tier = z.enum(['free', 'paid']);
export type Tier = z.infer<typeof tier>;

const providerId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'a provider id is lower-case letters, digits, ".", "_" or "-"');

const modelId = z
  .string()
  .max(200)
  .regex(
    /^[a-z0-9][a-z0-9._-]*\/[A-Za-z0-9][A-Za-z0-9._:-]*$/,
    'a model id has the form <provider>/<model_name>',
  );

/** US dollars with at most nine decimals: the gateway counts in billionths of a dollar. */
const usd = z.string().regex(/^\d{1,9}(\.\d{1,9})?$/, 'a price is a decimal string such as "0.15"');

/** Header names the gateway sets itself, or that would break the connection to the provider. */
const RESERVED_HEADERS = new Set([
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const headers = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'not a header name')
    .refine((name) => !RESERVED_HEADERS.has(name.toLowerCase()), 'the gateway sets this header itself'),
  z.string().regex(/^[\t\x20-\x7e]*$/, 'a header value is visible ASCII'),
);

const milliseconds = z.int().min(1).max(3_600_000);

const provider = z.strictObject({
  id: providerId,
  name: z.string().min(1).max(200),
  kind: z.literal('openai-compatible', 'only "openai-compatible" is supported'),
  base_url: z.url({ protocol: /^https?$/, error: 'expected an http or https URL' }).refine(isPlainBaseUrl, {
    error: 'a base URL has no user, password, query or fragment',
  }),
  credential_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not the name of an environment variable')
    .refine((name) => !isReservedVariable(name), 'this variable is a secret of the gateway itself')
    .optional(),
  headers: headers.default({}),
  timeouts_ms: z
    .strictObject({
      connect: milliseconds.default(5_000),
      first_byte: milliseconds.default(60_000),
      idle: milliseconds.default(60_000),
      total: milliseconds.default(600_000),
    })
    .prefault({}),
});

export const pricing = z.strictObject({
  input_per_million_usd: usd.optional(),
  cached_input_per_million_usd: usd.optional(),
  output_per_million_usd: usd.optional(),
  image_usd: usd.optional(),
  characters_per_million_usd: usd.optional(),
  audio_second_usd: usd.optional(),
  search_unit_usd: usd.optional(),
});
export type Pricing = z.infer<typeof pricing>;

/** The prices without which a paid model of the capability could not be billed. */
const NEEDED_PRICES: Record<Capability, readonly (keyof Pricing)[]> = {
  chat: ['input_per_million_usd', 'output_per_million_usd'],
  embeddings: ['input_per_million_usd'],
  rerank: ['search_unit_usd'],
  images: ['image_usd'],
  speech: ['characters_per_million_usd'],
  transcription: ['audio_second_usd'],
};

/** What is metered of each capability: a price of anything else would never be charged. */
const METERED: Record<Capability, readonly (keyof Pricing)[]> = {
  chat: ['input_per_million_usd', 'cached_input_per_million_usd', 'output_per_million_usd'],
  embeddings: ['input_per_million_usd'],
  rerank: ['search_unit_usd', 'input_per_million_usd'],
  images: ['image_usd', 'input_per_million_usd', 'output_per_million_usd'],
  speech: ['characters_per_million_usd'],
  transcription: ['audio_second_usd'],
};

/**
 * Input tokens of an image, a recording or a file in a chat where the catalog does not say: a large image of
 * the common models.
 */
export const MEDIA_PART_TOKENS = 1_600;

const MODALITIES: Record<Capability, { input: string[]; output: string[] }> = {
  chat: { input: ['text'], output: ['text'] },
  embeddings: { input: ['text'], output: ['embedding'] },
  rerank: { input: ['text'], output: ['score'] },
  images: { input: ['text'], output: ['image'] },
  speech: { input: ['text'], output: ['audio'] },
  transcription: { input: ['audio'], output: ['text'] },
};

const model = z
  .strictObject({
    id: modelId,
    name: z.string().min(1).max(200),
    description: z.string().max(2000).default(''),
    capability,
    tier,
    context_length: z.int().min(1).optional(),
    max_output_tokens: z.int().min(1).optional(),
    tokens_per_media_part: z.int().min(1).max(10_000_000).optional(),
    input_modalities: z.array(z.string().min(1)).min(1).optional(),
    output_modalities: z.array(z.string().min(1)).min(1).optional(),
    deprecated_at: z.iso.datetime({ offset: true }).optional(),
    upstreams: z
      .array(
        z.strictObject({
          provider: providerId,
          model: z.string().min(1).max(200),
          priority: z.int().min(1).max(1000).default(1),
          weight: z.int().min(1).max(1_000_000).default(1),
        }),
      )
      .min(1, 'a model needs at least one upstream'),
    pricing: pricing.prefault({}),
  })
  .check((context) => {
    const { value } = context;
    const { input_per_million_usd: input = '0', cached_input_per_million_usd: cached = '0' } = value.pricing;
    // What is set aside for a request is as if nothing were cached.
    if ((parseUsd(cached) ?? 0n) > (parseUsd(input) ?? 0n)) {
      const message = 'cached input must not cost more than input';
      context.issues.push({
        code: 'custom',
        path: ['pricing', 'cached_input_per_million_usd'],
        input: cached,
        message,
      });
    }
    if (value.tokens_per_media_part !== undefined && value.capability !== 'chat') {
      const message = 'only the input of a chat has media parts';
      const input = value.tokens_per_media_part;
      context.issues.push({ code: 'custom', path: ['tokens_per_media_part'], input, message });
    }
    if (value.tier !== 'paid') return;
    for (const [price, usd] of Object.entries(value.pricing)) {
      const isCharged = METERED[value.capability].some((metered) => metered === price);
      if (isCharged || (parseUsd(usd ?? '0') ?? 0n) === 0n) continue;
      const message = `this would never be charged: ${value.capability} is metered by ${METERED[value.capability].join(', ')}`;
      context.issues.push({ code: 'custom', path: ['pricing', price], input: usd, message });
    }
    for (const price of NEEDED_PRICES[value.capability]) {
      if (value.pricing[price] !== undefined) continue;
      const message = `a paid ${value.capability} model needs this price`;
      context.issues.push({ code: 'custom', path: ['pricing', price], input: undefined, message });
    }
  })
  .transform((value) => ({
    ...value,
    input_modalities: value.input_modalities ?? MODALITIES[value.capability].input,
    output_modalities: value.output_modalities ?? MODALITIES[value.capability].output,
  }));

export const catalogDocument = z
  .strictObject({ providers: z.array(provider), models: z.array(model) })
  .check((context) => {
    const { providers, models } = context.value;
    const report = (path: PropertyKey[], message: string) =>
      context.issues.push({ code: 'custom', path, input: context.value, message });
    for (const [index, id] of duplicates(providers.map((entry) => entry.id))) {
      report(['providers', index, 'id'], `provider "${id}" is listed twice`);
    }
    for (const [index, id] of duplicates(models.map((entry) => entry.id))) {
      report(['models', index, 'id'], `model "${id}" is listed twice`);
    }
    const known = new Set(providers.map((entry) => entry.id));
    for (const [index, entry] of models.entries()) {
      for (const [position, upstream] of entry.upstreams.entries()) {
        if (known.has(upstream.provider)) continue;
        report(
          ['models', index, 'upstreams', position, 'provider'],
          `no provider "${upstream.provider}" in this file`,
        );
      }
    }
  });

export type CatalogDocument = z.infer<typeof catalogDocument>;
/** The file as it may be written, before defaults are filled in. */
export type CatalogDocumentInput = z.input<typeof catalogDocument>;
export type CatalogProvider = CatalogDocument['providers'][number];
export type CatalogModel = CatalogDocument['models'][number];

function duplicates(ids: string[]): [index: number, id: string][] {
  return [...ids.entries()].filter(([index, id]) => ids.indexOf(id) !== index);
}

function isPlainBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && !url.username && !url.password && !url.search && !url.hash;
}
