import { z } from 'zod';
import { refuse } from '../errors/provider-error.ts';
import { count, oneOf } from '../schemas/members.ts';

const { strictObject } = z;
const text = z.string();
const object = z.record(text, z.unknown());
const functionName = text.regex(/^[A-Za-z_][\w.:-]{0,63}$/, 'Invalid function name.');

/** A part has one kind of data. */
const part = strictObject({
  text: text.optional(),
  thought: z.boolean().optional(),
  // Bytes in the JSON of protocol buffers: either alphabet.
  thoughtSignature: z.union([z.base64(), z.base64url()]).optional(),
  inlineData: strictObject({
    mimeType: text.min(1),
    data: z.base64(),
    displayName: text.optional(),
  }).optional(),
  fileData: strictObject({ mimeType: text.optional(), fileUri: text.min(1) }).optional(),
  functionCall: strictObject({
    id: text.optional(),
    name: functionName,
    args: object.optional(),
  }).optional(),
  functionResponse: strictObject({ id: text.optional(), name: text.min(1), response: object }).optional(),
}).refine(
  ({ fileData, functionCall, functionResponse, inlineData, text: words }) =>
    [fileData, functionCall, functionResponse, inlineData, words].filter((data) => data !== undefined)
      .length === 1,
  "required oneof field 'data' must have one initialized field",
);
const parts = z.array(part).min(1, 'contents.parts must not be empty.');

const content = strictObject({
  role: z.enum(['user', 'model'], 'Please use a valid role: user, model.').optional(),
  parts,
});

/** Keywords of JSON Schema that hold a schema or several, and those that hold schemas by name. */
const SCHEMA_HOLDERS: ReadonlySet<string> = new Set(
  'items prefixItems anyOf oneOf additionalProperties'.split(' '),
);
const NAMED_SCHEMA_HOLDERS: ReadonlySet<string> = new Set(['properties', '$defs']);
/** All keywords that Gemini knows. Source: "Structured outputs" of Google's guides. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...SCHEMA_HOLDERS,
  ...NAMED_SCHEMA_HOLDERS,
  ...'$id $ref $anchor type format title description enum minItems maxItems minimum maximum'.split(' '),
  ...['required', 'propertyOrdering'],
]);

const schema: z.ZodType<object> = z.lazy(() =>
  z.looseObject({}).superRefine((value, context) => {
    for (const [name, member] of Object.entries(value)) {
      if (!KEYWORDS.has(name)) context.addIssue({ code: 'unrecognized_keys', keys: [name], input: value });
      const named = NAMED_SCHEMA_HOLDERS.has(name) ? Object.values(Object(member)) : [];
      for (const inner of SCHEMA_HOLDERS.has(name) ? [member].flat() : named) {
        const issue = typeof inner === 'boolean' ? undefined : schema.safeParse(inner).error?.issues[0];
        if (issue !== undefined) context.addIssue({ ...issue, path: [name, ...issue.path] });
      }
    }
  }),
);

const declaration = strictObject({
  name: functionName,
  description: text.optional(),
  parameters: z.looseObject({}).optional(),
  parametersJsonSchema: schema.optional(),
});

/** Source: https://github.com/google-gemini/cookbook/issues/1290. */
const noPenalty = z.literal(0, 'Penalty is not enabled for this model').optional();
const aspectRatio = oneOf('1:1 2:3 3:2 3:4 4:3 4:5 5:4 9:16 16:9 21:9').optional();
const prebuiltVoiceConfig = strictObject({ voiceName: oneOf('Kore Puck Zephyr') });

const thinkingConfig = strictObject({
  includeThoughts: z.boolean().optional(),
  thinkingBudget: count(-1, 32_768).optional(),
  thinkingLevel: oneOf('minimal low medium high').optional(),
}).refine(
  ({ thinkingBudget, thinkingLevel }) => thinkingBudget === undefined || thinkingLevel === undefined,
  'You can only set one of thinking budget and thinking level.',
);

const generationConfig = strictObject({
  stopSequences: z.array(text.min(1)).max(5, 'The maximum number of stop sequences is 5.').optional(),
  responseMimeType: oneOf('text/plain application/json').optional(),
  responseJsonSchema: schema.optional(),
  responseModalities: z.array(oneOf('TEXT IMAGE AUDIO')).optional(),
  imageConfig: strictObject({ aspectRatio }).optional(),
  speechConfig: strictObject({ voiceConfig: strictObject({ prebuiltVoiceConfig }) }).optional(),
  candidateCount: z.literal(1, 'Multiple candidates is not enabled for this model').optional(),
  maxOutputTokens: count(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: count(1).optional(),
  seed: z.int32().optional(),
  presencePenalty: noPenalty,
  frequencyPenalty: noPenalty,
  thinkingConfig: thinkingConfig.optional(),
});

const functionCallingConfig = strictObject({
  mode: oneOf('AUTO ANY NONE VALIDATED').optional(),
  allowedFunctionNames: z.array(text).optional(),
});
const contentRequest = strictObject({
  contents: z.array(content).min(1, 'contents is not specified'),
  systemInstruction: strictObject({ role: text.optional(), parts }).optional(),
  tools: z.array(strictObject({ functionDeclarations: z.array(declaration).min(1) })).optional(),
  toolConfig: strictObject({ functionCallingConfig }).optional(),
  generationConfig: generationConfig.optional(),
  serviceTier: oneOf('standard flex priority').optional(),
});

export type ContentRequest = z.infer<typeof contentRequest>;
export type Content = ContentRequest['contents'][number];
export type Part = Content['parts'][number];

/** Checks a request as Google does. @throws ProviderError 400 that names the first mistake */
export function parseContentRequest(json: unknown): ContentRequest {
  const body = typeof json === 'object' && json !== null ? { ...json, simulate: undefined } : json;
  const parsed = contentRequest.safeParse(JSON.parse(JSON.stringify(body ?? null)));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = (issue?.path ?? []).map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  const path = at.join('').replace(/^\./, '');
  if (issue?.code === 'unrecognized_keys')
    refuse(
      `Invalid JSON payload received. Unknown name "${issue.keys[0]}"${path && ` at '${path}'`}: Cannot find field.`,
    );
  return refuse(`* GenerateContentRequest.${path}: ${issue?.message ?? 'invalid'}`);
}
