import { z } from 'zod';
import {
  freeProblems,
  type PriceProblem,
  paidProblems,
  pricing,
  pricingProblems,
} from '../billing/pricing.ts';
import { type Capability, capability } from './capability.ts';
import { alias, modelId, providerId, tier } from './catalog-names.ts';
import { guardrailId } from './guardrail-entry.ts';
import { pricesFrom, pricesFromProblems } from './prices-from.ts';
import { providerApi, providerApis } from './provider-kinds.ts';
import { modelTimeouts } from './timeouts.ts';

/** Default input tokens of an image, a recording or a file in a chat: about a large image. */
export const MEDIA_PART_TOKENS = 1_600;

const MODALITIES: Record<Capability, { input: string[]; output: string[] }> = {
  chat: { input: ['text'], output: ['text'] },
  completions: { input: ['text'], output: ['text'] },
  embeddings: { input: ['text'], output: ['embedding'] },
  rerank: { input: ['text'], output: ['score'] },
  images: { input: ['text'], output: ['image'] },
  speech: { input: ['text'], output: ['audio'] },
  transcription: { input: ['audio'], output: ['text'] },
  moderation: { input: ['text'], output: ['score'] },
};

const upstream = z.strictObject({
  provider: providerId.describe('The `id` of a provider in this file.'),
  model: z.string().min(1).max(200).describe('The name of the model at that provider.'),
  priority: z.int().min(1).max(1000).default(1).describe('1 is tried first.'),
  weight: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1)
    .describe('Upstreams of the same priority get conversations in proportion to their weights.'),
  apis: providerApis
    .optional()
    .describe(
      'The chat APIs of this model there, where they are not those of the provider: `[responses]` for a model ' +
        'without Chat Completions.',
    ),
  prefer: providerApi
    .optional()
    .meta({ title: '`chat` or `responses`' })
    .describe(
      'The API that chats in other APIs are translated to, where there are both. Default: `chat`. With ' +
        '`responses`, callers of Chat Completions are translated, too: OpenAI refuses tools there from gpt-5.4 on.',
    ),
});

/** Members of every model, also of a virtual one. */
const named = {
  id: modelId.describe('`<provider>/<model_name>`: callers send it as `model`.'),
  name: z.string().min(1).max(200).describe('Shown to people.'),
  description: z.string().max(2000).default('').describe('Shown to people.'),
  aliases: z
    .array(alias)
    .max(100)
    .default([])
    .describe(
      'Other names that callers can use, such as `gpt-4o`. No other model of the file has them, as an id or as ' +
        'an alias. Responses and receipts have the id.',
    ),
  fallbacks: z
    .array(modelId)
    .max(10)
    .default([])
    .describe(
      'Ids of models that are tried in this order when none of its own upstreams could answer. They have its ' +
        'capability and tier, and are not virtual. Their own fallbacks are not used.',
    ),
  affinity: z
    .literal('none')
    .optional()
    .meta({ title: '`none`' })
    .describe(
      '`none`: each request is spread anew by the weights. Default: all requests of a conversation go the same way ' +
        '([sticky routing](providers.md#sticky-routing)).',
    ),
  deprecated_at: z.iso
    .datetime({ offset: true })
    .optional()
    .meta({ title: 'ISO 8601 with a time zone' })
    .describe(
      'The date of its retirement, for `GET /v1/models`. Only an announcement: the model is served until you ' +
        'remove it from the catalog.',
    ),
};

/** An entry of `models` with upstreams. */
export const servedModel = z
  .strictObject({
    ...named,
    kind: z
      .literal('model')
      .optional()
      .meta({ title: '`model`' })
      .describe('A model with `upstreams` (the default). The other kind is `virtual`, below.'),
    capability: capability.describe('Decides the route under `/v1` that serves it.'),
    tier: tier.describe('`free` costs nothing; `paid` is charged to pools, by `pricing`.'),
    context_length: z
      .int()
      .min(1)
      .optional()
      .describe(
        'Maximum tokens of input and output together. Recordings and files reserve at most this; text also ' +
          'reserves more, in case the model has a longer context.',
      ),
    max_output_tokens: z
      .int()
      .min(1)
      .optional()
      .describe(
        'Maximum output tokens: reserved for a request without a smaller limit of its own. Default: ' +
          '`context_length`, else 16,384; for images 6,240 each.',
      ),
    tokens_per_media_part: z
      .int()
      .min(1)
      .max(10_000_000)
      .optional()
      .describe(
        'For chats and moderations: the maximum input tokens of an image, and the estimate for media that the ' +
          'provider does not count. ' +
          // Node's own formatting of numbers takes 10 ms for the first, at each start of each service.
          `Default: ${String(MEDIA_PART_TOKENS).replace(/\B(?=\d{3}$)/, ',')}.`,
      ),
    tokens_per_file_part: z
      .int()
      .min(1)
      .max(10_000_000)
      .optional()
      .describe(
        'For chats: the input tokens reserved for a recording, a video or a file, whose pages and seconds nobody ' +
          'can tell beforehand. Default: by its size in the request (docs/limits-and-credit.md, "What is ' +
          'reserved"); for a URL or an id the rest of `context_length`, else 1,000,000. What one costs beyond ' +
          'this is charged as far as the pools cover it.',
      ),
    input_modalities: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('Input types, for `GET /v1/models`: `text`, `image`, `audio`, … Default: by `capability`.'),
    output_modalities: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe(
        'Output types, for `GET /v1/models`: `text`, `embedding`, `image`, … Default: by `capability`.',
      ),
    upstreams: z
      .array(upstream)
      .min(1, 'a model needs at least one upstream')
      .describe('Providers of the model: tried by `priority`, chosen by `weight`.'),
    guardrails: z
      .array(guardrailId)
      .min(1, 'has at least one guardrail, or is left out')
      .max(20)
      .optional()
      .describe(
        'For chats: ids of `guardrails` of this file, in the order in which they check ' +
          '([guardrails](guardrails.md)).',
      ),
    timeouts_ms: modelTimeouts
      .optional()
      .describe('Timeouts of this model that differ from the `timeouts_ms` of its providers.'),
    pricing: pricing
      .prefault({})
      .describe('Its prices. A paid model needs the prices of the units of its capability.'),
    prices_from: pricesFrom
      .optional()
      .describe('Where and when its prices were found, so that `npm start` can say when they are old.'),
  })
  .check((context) => {
    const { value } = context;
    const report = ({ path, message }: PriceProblem) => {
      context.issues.push({ code: 'custom', path: ['pricing', ...path], input: value.pricing, message });
    };
    pricingProblems(value.pricing).forEach(report);
    for (const { path, message } of pricesFromProblems(value.prices_from ?? [], value.pricing))
      context.issues.push({
        code: 'custom',
        path: ['prices_from', ...path],
        input: value.prices_from,
        message,
      });
    for (const name of ['tokens_per_media_part', 'tokens_per_file_part'] as const) {
      const input = value[name];
      if (input === undefined || value.capability === 'chat') continue;
      if (name === 'tokens_per_media_part' && value.capability === 'moderation') continue;
      const message = 'the input of this capability has no such parts';
      context.issues.push({ code: 'custom', path: [name], input, message });
    }
    if (value.guardrails !== undefined && value.capability !== 'chat')
      context.issues.push({
        code: 'custom',
        path: ['guardrails'],
        input: value.guardrails,
        message: 'only chats are checked by guardrails',
      });
    const ofTier =
      value.tier === 'paid' ? paidProblems(value.capability, value.pricing) : freeProblems(value.pricing);
    ofTier.forEach(report);
  })
  .transform(({ kind: _kind, timeouts_ms, ...value }) => ({
    ...value,
    ...(timeouts_ms === undefined || Object.keys(timeouts_ms).length === 0 ? {} : { timeouts_ms }),
    input_modalities: value.input_modalities ?? MODALITIES[value.capability].input,
    output_modalities: value.output_modalities ?? MODALITIES[value.capability].output,
  }));

const member = z.strictObject({
  model: modelId.describe('The `id` of a model in this file that is not virtual itself.'),
  weight: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1)
    .describe('Conversations go to the models in proportion to their weights: 95 and 5 for a canary.'),
});

/** An entry of `models` that stands for several others. */
export const virtualModel = z
  .strictObject({
    ...named,
    kind: z.literal('virtual').describe('Several models under one name.'),
    models: z
      .array(member)
      .min(1, 'a virtual model needs at least one model')
      .max(20)
      .describe(
        'One of them is drawn by `weight` for each conversation; the others follow, by weight, when it could not ' +
          'answer. All have the same capability and tier, which are then its own.',
      ),
  })
  .describe(
    'One name for several models of the file, without upstreams, limits and prices of its own: responses, ' +
      'receipts and prices are those of the model that answered.',
  );
