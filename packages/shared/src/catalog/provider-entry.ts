import { z } from 'zod';
import { providerId } from './catalog-names.ts';
import { credentialNames, splitCredentials } from './credential-names.ts';
import { DEFAULT_APIS, knownApis, type ProviderKind, providerApis, providerKind } from './provider-kinds.ts';
import { baseUrlOf, projectProblem, regionProblem } from './provider-places.ts';
import { providerTraits } from './provider-traits.ts';
import { providerTimeouts } from './timeouts.ts';

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

/** Headers that the gateway sets for providers of one kind only. Other kinds may set them. */
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

/** Returns the message for a malformed URL. A missing value gets the message of every field. */
function urlProblem({ code }: { code: string }): string | undefined {
  return code === 'invalid_type' ? undefined : 'must be an http or https URL';
}

/** An entry of `providers` in the catalog file. */
export const providerEntry = z
  .strictObject({
    id: providerId.describe("Upstreams refer to it by this id; its models' ids usually begin with it."),
    name: z.string().min(1).max(200).describe('Shown on the status page and in the dashboard.'),
    kind: providerKind.describe(
      'Its API: `openai-compatible` is Chat Completions and its neighbours; `anthropic` is Messages (chats ' +
        'only); `gemini` is generateContent; `vertex` is the same at Google Cloud, with Messages for models of ' +
        'Anthropic; `azure-openai` is `/openai/v1` of Azure; `bedrock` is the runtime of Amazon Bedrock, with ' +
        'InvokeModel for models of Anthropic and Converse for all others; `cohere` is version 2 of Cohere’s API.',
    ),
    apis: providerApis
      .meta({ title: '`[chat]` or `[chat, responses]`' })
      .optional()
      .describe(
        'Its chat APIs. With `responses`, requests of `POST /v1/responses` go to its `/responses` unchanged; ' +
          'without, they are translated. Default: `[chat]`, for `azure-openai` both. Only for these two kinds.',
      ),
    traits: providerTraits
      .meta({ title: 'name of a preset, or traits' })
      .optional()
      .describe(
        'For `openai-compatible`: how the server differs from OpenAI’s API. The name of a preset (`mistral`, ' +
          '`vllm`, …), or single traits with or without a `preset` ' +
          '([all of them](reference/provider-traits.md)). Default: the preset of the host of `base_url`, else ' +
          '`generic`.',
      ),
    base_url: z
      .url({ protocol: /^https?$/, error: urlProblem })
      .refine(isPlainBaseUrl, { error: 'a base URL has no user, password, query or fragment' })
      .meta({ title: 'http or https URL' })
      .optional()
      .describe(
        'The URL before `/chat/completions` and the other paths (`anthropic`: before `/messages`, `gemini`: ' +
          '`/models/…`, `cohere`: `/v2/chat`). Usually ends in `/v1`, for `gemini` in `/v1beta`, for `cohere` without ' +
          'a version. **Required**, except for `azure-openai` with `resource`, for `bedrock` (default ' +
          '`https://bedrock-runtime.<region>.amazonaws.com`), and for `vertex` with `region` and `project` (else the ' +
          'URL before `/publishers/…`: ' +
          '`https://<region>-aiplatform.googleapis.com/v1/projects/<project>/locations/<region>`).',
      ),
    resource: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'the name of a resource is lower-case letters, digits and "-"')
      .optional()
      .describe(
        'For `azure-openai`, instead of `base_url`: the name of the resource in ' +
          '`https://<resource>.openai.azure.com/openai/v1`.',
      ),
    region: z
      .string()
      .regex(/^[a-z]{2,}(?:-[a-z0-9]+)*$/, 'not the name of a region')
      .meta({ title: 'name of a region' })
      .optional()
      .describe(
        'For `bedrock`, required: the AWS region of the runtime, such as `us-east-1`; requests are signed for ' +
          'it. For `vertex`: the location, such as `europe-west1`, `eu` or `global`.',
      ),
    project: z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9.:-]{0,98}[a-z0-9])?$/, 'not the id of a project')
      .meta({ title: 'id of a project' })
      .optional()
      .describe(
        'For `vertex`: the project of Google Cloud, which is billed. Default: the project of the credentials.',
      ),
    credential_env: credentialNames
      .meta({ title: 'name of a variable, or a list of up to 16 names, or of `name` and `weight`' })
      .optional()
      .describe(
        'The name of its API key, which is stored with `gatewayctl credentials set`, or in an environment variable of ' +
          'the data planes. It is sent as `Authorization: Bearer …` ' +
          '(`anthropic`: `x-api-key`, `gemini`: `x-goog-api-key`, `azure-openai`: `api-key`). For `vertex` it has ' +
          'the key of a service account (its JSON, or a path), which is exchanged for a token. With a list, each ' +
          'conversation has its credential, and a refused or limited one is replaced by the next ([several ' +
          'credentials](providers.md#several-credentials)). Left out: no credential, except that `bedrock` uses the ' +
          'AWS credentials of the data plane, `vertex` its application default credentials of Google Cloud, and ' +
          '`azure-openai` tokens of Entra ID.',
      ),
    headers: headers
      .default({})
      .meta({ title: 'names and values' })
      .describe(
        'Constant headers of every request to it, such as a version or an organization. ' +
          `Not allowed: ${[...RESERVED_HEADERS].map((name) => `\`${name}\``).join(', ')}; ` +
          Object.entries(RESERVED_BY_KIND)
            .map(([kind, names]) => `for \`${kind}\` also ${names.map((name) => `\`${name}\``).join(', ')}`)
            .join('; ') +
          '. ' +
          'An `anthropic-…` header of a caller of Messages replaces one of the same name.',
      ),
    timeouts_ms: providerTimeouts.prefault({}).describe('Timeouts of its responses, in milliseconds.'),
  })
  .refine((value) => baseUrlOf(value) !== undefined, {
    path: ['base_url'],
    error: 'is required',
    // Runs even if other members are invalid, so that all missing members are reported at once.
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .check(({ issues, value }) => {
    const { base_url, kind, resource } = value;
    const report = (message: string) =>
      issues.push({ code: 'custom', path: ['resource'], input: resource, message });
    if (resource === undefined) return;
    if (kind !== 'azure-openai') report('only a provider of the kind "azure-openai" has one');
    else if (base_url !== undefined) report('sets the same as "base_url": leave one of them out');
  })
  .check(({ issues, value }) => {
    const { apis, kind } = value;
    const wrong =
      DEFAULT_APIS[kind] === undefined
        ? apis !== undefined && `a provider of the kind "${kind}" has one API only`
        : apis?.includes('chat') === false && 'every provider of this kind has "chat"';
    if (wrong) issues.push({ code: 'custom', path: ['apis'], input: apis, message: wrong });
  })
  .check(({ issues, value: { kind, traits } }) => {
    if (traits === undefined || kind === 'openai-compatible') return;
    const message = 'only a provider of the kind "openai-compatible" has traits';
    issues.push({ code: 'custom', path: ['traits'], input: traits, message });
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
  .transform(({ apis, base_url, credential_env, project, region, resource, ...value }) => ({
    ...value,
    ...splitCredentials(credential_env),
    // The refinement above refuses an entry without a base URL.
    base_url: baseUrlOf({ ...value, base_url, project, region, resource }) ?? '',
    // For other kinds the region is part of the base URL.
    ...(region === undefined || value.kind !== 'bedrock' ? {} : { region }),
    // Both spellings of the default are the same catalog.
    ...(apis === undefined || apis.length === DEFAULT_APIS[value.kind]?.length
      ? {}
      : { apis: knownApis(apis) }),
  }));

function isPlainBaseUrl(text: string): boolean {
  const url = URL.parse(text);
  // A malformed URL was already reported.
  return url === null || (!url.username && !url.password && !url.search && !url.hash);
}
