import { z } from 'zod';
import {
  freeProblems,
  type PriceProblem,
  paidProblems,
  pricing,
  pricingProblems,
} from '../billing/pricing.ts';
import { type Capability, capability } from './capability.ts';
import { credentialNames } from './credential-names.ts';
import { type NamedModel, nameProblems } from './model-names.ts';
import {
  DEFAULT_APIS,
  KIND_CAPABILITIES,
  knownApis,
  type ProviderKind,
  providerApi,
  providerKind,
} from './provider-kinds.ts';

import { baseUrlOf, projectProblem, regionProblem } from './provider-places.ts';

import { modelTimeouts, providerTimeouts } from './timeouts.ts';

/** The schema of the catalog file (docs/catalog-file.md), which lists all providers and all models. */

export const tier = z.enum(['free', 'paid']);
export type Tier = z.infer<typeof tier>;

const providerId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'a provider id is lower-case letters, digits, ".", "_" or "-"')
  .meta({ title: 'up to 63 lower-case letters, digits, `.`, `_` and `-`' });

const modelId = z
  .string()
  .max(200)
  .regex(
    /^[a-z0-9][a-z0-9._-]*\/[A-Za-z0-9][A-Za-z0-9._:-]*$/,
    'a model id has the form <provider>/<model_name>',
  )
  .meta({ title: '`<provider>/<model_name>`' });

const alias = z
  .string()
  .max(200)
  .regex(
    /^[A-Za-z0-9@](?:[A-Za-z0-9._:@+/-]*[A-Za-z0-9])?$/,
    'an alias is letters, digits, ".", "_", ":", "@", "+", "/" and "-", and ends in a letter or digit',
  )
  .meta({ title: 'name of a model' });

/**
 * Headers that a provider's entry may not set: the gateway sets them itself, or they would break the
 * connection.
 */
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

/** Headers that the gateway sets for a provider of this kind; to others, they are headers like any other. */
const RESERVED_BY_KIND: Partial<Record<ProviderKind, readonly string[]>> = {
  anthropic: ['x-api-key'],
  gemini: ['x-goog-api-key'],
  'azure-openai': ['api-key'],
  bedrock: ['x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'],
};
const SETS_ITSELF = 'the gateway sets this header itself';

const headers = z.record(
  z
    .string()
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'not a header name')
    .refine((name) => !RESERVED_HEADERS.has(name.toLowerCase()), SETS_ITSELF),
  z.string().regex(/^[\t\x20-\x7e]*$/, 'a header value is visible ASCII'),
);

/** Words for a text that is no URL. A missing value gets the same words as in every other field. */
function urlProblem({ code }: { code: string }): string | undefined {
  return code === 'invalid_type' ? undefined : 'must be an http or https URL';
}

const provider = z
  .strictObject({
    id: providerId.describe("How upstreams of models name it; what its models' ids usually begin with."),
    name: z.string().min(1).max(200).describe('For people: on the status page and in the dashboard.'),
    kind: providerKind.describe(
      'The protocol that it speaks: `openai-compatible` is Chat Completions and its neighbours; ' +
        '`anthropic` is Messages, which has chats alone; `gemini` is generateContent; `vertex` is the same at Google ' +
        'Cloud, with Messages for the models of Anthropic; `azure-openai` is what ' +
        'Azure serves below `/openai/v1`; `bedrock` is the runtime of Amazon Bedrock, with InvokeModel for the models of ' +
        'Anthropic and Converse for all others; `cohere` is the second version of Cohere’s API.',
    ),
    apis: z
      .array(providerApi)
      .min(1)
      .refine((apis) => new Set(apis).size === apis.length, 'an API is listed twice')
      .meta({ title: '`[chat]` or `[chat, responses]`' })
      .optional()
      .describe(
        'What it has for chats. With `responses`, requests of `POST /v1/responses` go to `/responses` there as ' +
          'they are; without, they are translated. Left out: `[chat]`, of `azure-openai` both. Of these two kinds alone.',
      ),
    base_url: z
      .url({ protocol: /^https?$/, error: urlProblem })
      .refine(isPlainBaseUrl, { error: 'a base URL has no user, password, query or fragment' })
      .meta({ title: 'http or https URL' })
      .optional()
      .describe(
        'What stands before `/chat/completions` and the other paths, before `/messages` of `anthropic`, ' +
          '`/models/…` of `gemini`, and `/v2/chat` of `cohere`; usually ends in `/v1`, of `gemini` in `/v1beta`, of ' +
          '`cohere` without a version. **Required**, but of `azure-openai` where `resource` is given, and of ' +
          '`bedrock`: `https://bedrock-runtime.<region>.amazonaws.com`. Of `vertex` what stands before ' +
          '`/publishers/…`, instead of `region` and `project`: ' +
          '`https://<region>-aiplatform.googleapis.com/v1/projects/<project>/locations/<region>`.',
      ),
    resource: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'the name of a resource is lower-case letters, digits and "-"')
      .optional()
      .describe(
        'Of `azure-openai` instead of `base_url`: the name of the resource, for ' +
          '`https://<resource>.openai.azure.com/openai/v1`.',
      ),
    region: z
      .string()
      .regex(/^[a-z]{2,}(?:-[a-z0-9]+)*$/, 'not the name of a region')
      .meta({ title: 'name of a region' })
      .optional()
      .describe(
        'Of the kind `bedrock`, which needs it: the region of AWS whose runtime is asked, such as `us-east-1`. ' +
          'Requests are signed for it. Of `vertex`: the location that is asked, such as `europe-west1`, `eu` or ' +
          '`global`.',
      ),
    project: z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9.:-]{0,98}[a-z0-9])?$/, 'not the id of a project')
      .meta({ title: 'id of a project' })
      .optional()
      .describe(
        'Of `vertex`: the project of Google Cloud that is asked, and billed. Left out: that of the credentials.',
      ),
    credential_env: credentialNames
      .meta({ title: 'name of a variable, or a list of up to 16 names' })
      .optional()
      .describe(
        'Name of the environment variable of the data planes that holds its API key, ' +
          'which is sent as `Authorization: Bearer …`, to `anthropic` as `x-api-key`, to `gemini` as ' +
          '`x-goog-api-key`, to `azure-openai` as `api-key`. Of `vertex` it holds the key of a service account: ' +
          'its JSON, or the path of its file; a token that is fetched with it is sent. A list of names: they are ' +
          'used in turn, and one that is refused or limited is followed by the next ([several ' +
          'credentials](providers.md#several-credentials)). Left out: none is sent; to `bedrock`, requests are then ' +
          'signed with the AWS credentials of the data plane; for `vertex` its application default credentials of ' +
          'Google Cloud are used, and for `azure-openai` tokens of Entra ID.',
      ),
    headers: headers
      .default({})
      .meta({ title: 'names and values' })
      .describe(
        'Constant headers of every request to it, such as a version or an organisation. ' +
          `Not among them: ${[...RESERVED_HEADERS].map((name) => `\`${name}\``).join(', ')}; ` +
          Object.entries(RESERVED_BY_KIND)
            .map(([kind, names]) => `of \`${kind}\` also ${names.map((name) => `\`${name}\``).join(', ')}`)
            .join('; ') +
          '. ' +
          'Where a caller of Messages sends an `anthropic-…` header of the same name, it gets that instead.',
      ),
    timeouts_ms: providerTimeouts.prefault({}).describe('How long its answers may take, in milliseconds.'),
  })
  .refine((value) => baseUrlOf(value) !== undefined, {
    path: ['base_url'],
    error: 'is required',
    // With the other members that are missing, and not only when they are there.
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .check(({ issues, value }) => {
    const { base_url, kind, resource } = value;
    const report = (message: string) =>
      issues.push({ code: 'custom', path: ['resource'], input: resource, message });
    if (resource === undefined) return;
    if (kind !== 'azure-openai') report('only a provider of the kind "azure-openai" has one');
    else if (base_url !== undefined) report('says the same as "base_url": leave one of them out');
  })
  .check(({ issues, value }) => {
    const { apis, kind } = value;
    const wrong =
      DEFAULT_APIS[kind] === undefined
        ? apis !== undefined && `a provider of the kind "${kind}" has one API only`
        : apis?.includes('chat') === false && 'every provider of this kind has "chat"';
    if (wrong) issues.push({ code: 'custom', path: ['apis'], input: apis, message: wrong });
  })
  .check(({ issues, value }) => {
    const { region } = value;
    const message = regionProblem(value);
    if (message !== undefined) issues.push({ code: 'custom', path: ['region'], input: region, message });
    const ofProject = projectProblem(value);
    if (ofProject !== undefined)
      issues.push({ code: 'custom', path: ['project'], input: value.project, message: ofProject });
    const reserved = RESERVED_BY_KIND[value.kind] ?? [];
    for (const name of Object.keys(value.headers)) {
      if (!reserved.includes(name.toLowerCase())) continue;
      issues.push({
        code: 'custom',
        path: ['headers', name],
        input: value.headers[name],
        message: SETS_ITSELF,
      });
    }
  })
  .transform(({ apis, base_url, project, region, resource, ...value }) => ({
    ...value,
    // One without an address is refused above.
    base_url: baseUrlOf({ ...value, base_url, project, region, resource }) ?? '',
    // For other kinds the region is part of the address.
    ...(region === undefined || value.kind !== 'bedrock' ? {} : { region }),
    // Both spellings of the default are the same catalog.
    ...(apis === undefined || apis.length === DEFAULT_APIS[value.kind]?.length
      ? {}
      : { apis: knownApis(apis) }),
  }));

/**
 * How many input tokens an image, a recording or a file in a chat counts when the catalog does not say: those
 * of a large image at the common models.
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

const upstream = z.strictObject({
  provider: providerId.describe('The `id` of a provider in this file.'),
  model: z.string().min(1).max(200).describe('What that provider calls the model.'),
  priority: z.int().min(1).max(1000).default(1).describe('1 is tried first.'),
  weight: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1)
    .describe('Upstreams of the same priority get requests in proportion to their weights.'),
});

/** Members of every model, also of a virtual one. */
const named = {
  id: modelId.describe('`<provider>/<model_name>`: what callers send as `model`.'),
  name: z.string().min(1).max(200).describe('For people.'),
  description: z.string().max(2000).default('').describe('For people.'),
  aliases: z
    .array(alias)
    .max(100)
    .default([])
    .describe(
      'Other names by which callers may ask for it, such as `gpt-4o`, as their programs send them. ' +
        'No other model of the file has them, as an id or as an alias. Answers and receipts have the id.',
    ),
  fallbacks: z
    .array(modelId)
    .max(10)
    .default([])
    .describe(
      'Ids of models that are asked in its place, in this order, when none of its own upstreams could ' +
        'answer. They have its capability and its tier, and are not virtual. Their own fallbacks are not asked.',
    ),
  deprecated_at: z.iso
    .datetime({ offset: true })
    .optional()
    .meta({ title: 'ISO 8601 with a time zone' })
    .describe(
      'When it will be retired, for `GET /v1/models`. ' +
        'It is an announcement: the model is served until the catalog has it no more.',
    ),
};

const servedModel = z
  .strictObject({
    ...named,
    kind: z
      .literal('model')
      .optional()
      .meta({ title: '`model`' })
      .describe(
        'A model that is asked at its `upstreams`. Left out: the same. The other kind is `virtual`, below.',
      ),
    capability: capability.describe('What it does, which is the route under `/v1` that serves it.'),
    tier: tier.describe('`free` costs nothing; `paid` is paid from pools, by `pricing`.'),
    context_length: z
      .int()
      .min(1)
      .optional()
      .describe(
        'The most tokens of input and output together. No more are set aside for the input of a request.',
      ),
    max_output_tokens: z
      .int()
      .min(1)
      .optional()
      .describe(
        'The most tokens of an answer: what is set aside for a request that sets no smaller bound ' +
          'itself. Left out: `context_length`, else 16,384; of images 6,240 for each.',
      ),
    tokens_per_media_part: z
      .int()
      .min(1)
      .max(10_000_000)
      .optional()
      .describe(
        'Of chats: the most that an image, a recording or a file costs, in input tokens. ' +
          // Node's own formatting of numbers takes 10 ms for the first, at each start of each service.
          `Left out: ${String(MEDIA_PART_TOKENS).replace(/\B(?=\d{3}$)/, ',')}.`,
      ),
    input_modalities: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe(
        'What it takes, for `GET /v1/models`: `text`, `image`, `audio`, … Left out: by `capability`.',
      ),
    output_modalities: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe(
        'What it gives, for `GET /v1/models`: `text`, `embedding`, `image`, … Left out: by `capability`.',
      ),
    upstreams: z
      .array(upstream)
      .min(1, 'a model needs at least one upstream')
      .describe('Where its requests go: tried by `priority`, spread by `weight`.'),
    timeouts_ms: modelTimeouts
      .optional()
      .describe(
        'What of the `timeouts_ms` of its providers is different for this model; ' +
          "the members that are left out stay the provider's.",
      ),
    pricing: pricing
      .prefault({})
      .describe('What it costs. A paid model needs the prices of what its capability is metered by.'),
  })
  .check((context) => {
    const { value } = context;
    const report = ({ path, message }: PriceProblem) => {
      context.issues.push({ code: 'custom', path: ['pricing', ...path], input: value.pricing, message });
    };
    pricingProblems(value.pricing).forEach(report);
    if (value.tokens_per_media_part !== undefined && value.capability !== 'chat') {
      const message = 'only the input of a chat has media parts';
      const input = value.tokens_per_media_part;
      context.issues.push({ code: 'custom', path: ['tokens_per_media_part'], input, message });
    }
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
    .describe('Requests go to the models in proportion to their weights: 95 and 5 for a canary.'),
});

const virtualModel = z
  .strictObject({
    ...named,
    kind: z.literal('virtual').describe('Says that it is several models.'),
    models: z
      .array(member)
      .min(1, 'a virtual model needs at least one model')
      .max(20)
      .describe(
        'Who answers: one that is drawn by `weight` for each request; the others, by weight, when that one ' +
          'could not. All have the same capability and the same tier, which are then its own.',
      ),
  })
  .describe(
    'One name for several models of the file. It has no upstreams, no limits and no prices of its own: ' +
      'answers, receipts and prices are those of the model that has answered.',
  );

/** @param others models that are in force beside those of the file, whose names and references count, too */
export function catalogDocumentBeside(others: readonly NamedModel[]) {
  return z
    .strictObject({
      providers: z.array(provider).describe('Who is asked.'),
      models: z
        .array(z.discriminatedUnion('kind', [servedModel, virtualModel], { error: kindProblem }))
        .describe('What callers can ask for.'),
    })
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
      const kinds = new Map(providers.map(({ id, kind }) => [id, kind]));
      for (const [index, entry] of models.entries()) {
        if (isVirtual(entry)) continue;
        for (const [position, upstream] of entry.upstreams.entries()) {
          const at = ['models', index, 'upstreams', position, 'provider'];
          const kind = kinds.get(upstream.provider);
          if (kind === undefined) report(at, `no provider "${upstream.provider}" in this file`);
          else if (!KIND_CAPABILITIES[kind].includes(entry.capability)) {
            const possible = KIND_CAPABILITIES[kind].join(', ');
            report(at, `a provider of the kind "${kind}" has no ${entry.capability}, only ${possible}`);
          }
        }
      }
      for (const { index, path, message } of nameProblems([...models, ...others])) {
        const other = others[index - models.length];
        if (other === undefined) report(['models', index, ...path], message);
        else report(['models'], `of "${other.id}", which is in the catalog: ${message}`);
      }
    })
    .transform(({ models, providers }) => ({
      providers,
      models: models.flatMap((entry) => (isVirtual(entry) ? [] : [entry])),
      virtualModels: models.filter(isVirtual),
    }));
}

export const catalogDocument = catalogDocumentBeside([]);

/** Models and virtual models are one list in the file, and two of them here. */
export type CatalogDocument = z.infer<typeof catalogDocument>;
/** The form of the file before defaults are filled in. */
export type CatalogDocumentInput = z.input<typeof catalogDocument>;
/** The same of a file without virtual models. */
export type PlainCatalogInput = Omit<CatalogDocumentInput, 'models'> & {
  models: z.input<typeof servedModel>[];
};
export type CatalogProvider = CatalogDocument['providers'][number];
export type CatalogModel = CatalogDocument['models'][number];
export type CatalogVirtualModel = CatalogDocument['virtualModels'][number];

/** @returns the content of a file that says the same */
export function fileOfDocument({ models, providers, virtualModels }: CatalogDocument): CatalogDocumentInput {
  return { providers, models: [...models, ...virtualModels] };
}

function isVirtual(
  entry: z.infer<typeof servedModel | typeof virtualModel>,
): entry is z.infer<typeof virtualModel> {
  return 'models' in entry;
}

/** Words for a model of a kind that does not exist. */
function kindProblem({ code }: { code: string }): string | undefined {
  return code === 'invalid_union' ? 'must be "virtual", or left out' : undefined;
}

function duplicates(ids: string[]): [index: number, id: string][] {
  return [...ids.entries()].filter(([index, id]) => ids.indexOf(id) !== index);
}

function isPlainBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  // A text that is no URL at all has been reported already.
  return url === null || (!url.username && !url.password && !url.search && !url.hash);
}
