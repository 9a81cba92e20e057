import { z } from 'zod';
import { credentialName } from './credential-names.ts';

const MAX_PATTERNS = 100;

/** Id of a guardrail: it is shown to callers and labels metrics. */
export const guardrailId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'the id of a guardrail is lower-case letters, digits, "-" and "_"');

const named = {
  id: guardrailId.describe('Models refer to it by this id, which callers, metrics and logs see.'),
  when: z
    .enum(['request', 'response', 'both'])
    .default('both')
    .describe(
      'Checks the request before a provider gets it, the response before the caller gets it, or both.',
    ),
  on_failure: z
    .enum(['refuse', 'pass'])
    .default('refuse')
    .describe(
      'What happens if the check fails, for example because the service is down, slow, or answers something ' +
        'else: `refuse` lets nothing through (503 `guardrail_unavailable`); `pass` lets it through unchecked.',
    ),
  deadline_ms: z
    .int()
    .min(50)
    .max(60_000)
    .default(5_000)
    .describe('Time for one check. After it the check has failed.'),
  hold_back: z
    .int()
    .min(0)
    .max(10_000)
    .default(64)
    .describe(
      'For streams: text is sent only after this many characters behind it were checked, too, so a shorter match ' +
        'is never sent in part. `0` sends each sentence as soon as it is checked.',
    ),
  accounts: z
    .union([z.literal('all'), z.array(z.string().min(1).max(100)).max(1_000)], {
      error: 'must be "all" or a list of account ids',
    })
    .default([])
    .meta({ title: '`all` or a list of account ids' })
    .describe(
      'Accounts whose chats it checks with every model, in addition to the guardrails of the models. Default: ' +
        'none, so only models that list it.',
    ),
};

const url = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine(
    (text) => {
      const parsed = URL.parse(text);
      return parsed === null || (!parsed.username && !parsed.password && !parsed.hash);
    },
    { error: 'the URL of a guardrail has no user, password or fragment' },
  )
  .meta({ title: 'http or https URL' });

const header = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,100}$/, 'not a header name')
  .refine(
    (name) =>
      !['host', 'content-length', 'content-type', 'connection', 'transfer-encoding'].includes(
        name.toLowerCase(),
      ),
    'the gateway sets this header itself',
  );

const service = {
  credential_env: credentialName
    .optional()
    .describe(
      'The name of its API key, which is stored with `gatewayctl credentials set`, or in an environment variable of ' +
        'the data planes. Left out: no key is sent.',
    ),
  credential_header: header
    .default('x-api-key')
    .describe('The header with that key. For `authorization` the key is sent as `Bearer …`.'),
};

const action = z
  .enum(['block', 'replace'])
  .describe('`block` refuses the request or ends the response; `replace` puts a placeholder in its place.');

const httpGuardrail = z
  .strictObject({
    ...named,
    kind: z.literal('http').describe("A service with LiteLLM's Generic Guardrail API."),
    url: url.describe(
      'The whole URL, such as `http://guard.internal:8000/beta/litellm_basic_guardrail_api`.',
    ),
    ...service,
    params: z
      .record(z.string(), z.json())
      .default({})
      .meta({ title: 'names and values' })
      .describe('Sent as `additional_provider_specific_params`.'),
  })
  .describe("A service with LiteLLM's Generic Guardrail API.");

const presidioGuardrail = z
  .strictObject({
    ...named,
    kind: z.literal('presidio').describe('The analyzer of Microsoft Presidio, which finds personal data.'),
    url: url.describe('The base URL of the analyzer, such as `http://presidio-analyzer:3000`.'),
    ...service,
    language: z
      .string()
      .regex(/^[a-z]{2,3}$/, 'a language has two or three letters')
      .default('en')
      .describe('The language of the texts.'),
    entities: z
      .array(z.string().regex(/^[A-Z0-9_]{1,64}$/, 'not the name of an entity'))
      .max(100)
      .default([])
      .describe('The entities to find, such as `EMAIL_ADDRESS`. Default: all that the analyzer knows.'),
    score_threshold: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .describe('Findings below this score do not count.'),
    action: action.default('replace'),
  })
  .describe('The analyzer of Microsoft Presidio, which finds personal data.');

const patternsGuardrail = z
  .strictObject({
    ...named,
    kind: z.literal('patterns').describe('Regular expressions in the syntax of RE2.'),
    patterns: z
      .array(
        z.strictObject({
          name: z
            .string()
            .regex(/^[A-Za-z0-9 _-]{1,64}$/, 'letters, digits, spaces, "-" and "_"')
            .describe('Names it in logs.'),
          pattern: z
            .string()
            .min(1)
            .max(2_000)
            .describe('A regular expression. `(?i)` in front ignores case.'),
          action: action.default('block'),
          replacement: z.string().max(200).default('[removed]').describe('The placeholder of `replace`.'),
        }),
      )
      .min(1, 'has at least one pattern')
      .max(MAX_PATTERNS)
      .describe('The patterns, in order.'),
  })
  .describe('Regular expressions in the syntax of RE2.');

const secretsGuardrail = z
  .strictObject({
    ...named,
    kind: z.literal('secrets').describe('API keys and private keys of known shapes.'),
    action: action.default('replace'),
  })
  .describe('API keys and private keys of known shapes.');

/** An entry of `guardrails` in the catalog file. */
export const guardrailEntry = z.discriminatedUnion('kind', [
  httpGuardrail,
  presidioGuardrail,
  patternsGuardrail,
  secretsGuardrail,
]);
export type CatalogGuardrail = z.infer<typeof guardrailEntry>;
export type GuardrailKind = CatalogGuardrail['kind'];
