import { z } from 'zod';
import { refuse } from '../errors/provider-error.ts';

const text = z.string();
const blob = z.strictObject({ mimeType: text.min(1), data: z.base64(), displayName: text.optional() });
const fileData = z.strictObject({ mimeType: text.optional(), fileUri: text.min(1) });
const functionCall = z.strictObject({
  id: text.optional(),
  name: text.regex(/^[A-Za-z_][\w.:-]{0,63}$/, 'Invalid function name.'),
  args: z.record(text, z.unknown()).optional(),
});
const functionResponse = z.strictObject({
  id: text.optional(),
  name: text.min(1),
  response: z.record(text, z.unknown()),
});

/** A part has one kind of data. */
const part = z
  .strictObject({
    text: text.optional(),
    thought: z.boolean().optional(),
    // Bytes in the JSON of protocol buffers: either alphabet.
    thoughtSignature: z.union([z.base64(), z.base64url()]).optional(),
    inlineData: blob.optional(),
    fileData: fileData.optional(),
    functionCall: functionCall.optional(),
    functionResponse: functionResponse.optional(),
  })
  .refine(
    ({ fileData: file, functionCall: call, functionResponse: response, inlineData, text: words }) =>
      [file, call, response, inlineData, words].filter((data) => data !== undefined).length === 1,
    "required oneof field 'data' must have one initialized field",
  );

const content = z.strictObject({
  role: z.enum(['user', 'model'], 'Please use a valid role: user, model.').optional(),
  parts: z.array(part).min(1, 'contents.parts must not be empty.'),
});

/** The keywords of JSON Schema that it knows. Source: "Structured outputs" of Google's guides. */
const KEYWORDS: ReadonlySet<string> = new Set([
  '$id',
  '$defs',
  '$ref',
  '$anchor',
  'type',
  'format',
  'title',
  'description',
  'enum',
  'items',
  'prefixItems',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'anyOf',
  'oneOf',
  'properties',
  'additionalProperties',
  'required',
  'propertyOrdering',
]);

const schema: z.ZodType<object> = z.lazy(() =>
  z.looseObject({}).superRefine((value, context) => {
    for (const [name, member] of Object.entries(value)) {
      if (!KEYWORDS.has(name)) context.addIssue({ code: 'unrecognized_keys', keys: [name], input: value });
      const inner =
        name === 'properties' || name === '$defs' ? Object.values(Object(member)) : [member].flat();
      const holdsSchemas = SCHEMA_HOLDERS.has(name) || name === 'properties' || name === '$defs';
      for (const one of holdsSchemas ? inner : []) {
        if (typeof one === 'boolean') continue;
        const issue = schema.safeParse(one).error?.issues[0];
        if (issue !== undefined) context.addIssue({ ...issue, path: [name, ...issue.path] });
      }
    }
  }),
);
const SCHEMA_HOLDERS: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'additionalProperties',
]);

const declaration = z.strictObject({
  name: functionCall.shape.name,
  description: text.optional(),
  parameters: z.looseObject({}).optional(),
  parametersJsonSchema: schema.optional(),
});

/** Source: https://github.com/google-gemini/cookbook/issues/1290. */
const noPenalty = z.literal(0, 'Penalty is not enabled for this model').optional();

const generationConfig = z.strictObject({
  stopSequences: z.array(text.min(1)).max(5, 'The maximum number of stop sequences is 5.').optional(),
  responseMimeType: z.enum(['text/plain', 'application/json']).optional(),
  responseJsonSchema: schema.optional(),
  responseModalities: z.array(z.enum(['TEXT', 'IMAGE', 'AUDIO'])).optional(),
  imageConfig: z
    .strictObject({
      aspectRatio: z
        .enum(['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'])
        .optional(),
    })
    .optional(),
  speechConfig: z
    .strictObject({
      voiceConfig: z.strictObject({
        prebuiltVoiceConfig: z.strictObject({ voiceName: z.enum(['Kore', 'Puck', 'Zephyr']) }),
      }),
    })
    .optional(),
  candidateCount: z.literal(1, 'Multiple candidates is not enabled for this model').optional(),
  maxOutputTokens: z.int().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: z.int().min(1).optional(),
  seed: z.int32().optional(),
  presencePenalty: noPenalty,
  frequencyPenalty: noPenalty,
  thinkingConfig: z
    .strictObject({
      includeThoughts: z.boolean().optional(),
      thinkingBudget: z.int().min(-1).max(32_768).optional(),
      thinkingLevel: z.enum(['minimal', 'low', 'medium', 'high']).optional(),
    })
    .refine(
      ({ thinkingBudget, thinkingLevel }) => thinkingBudget === undefined || thinkingLevel === undefined,
      'You can only set one of thinking budget and thinking level.',
    )
    .optional(),
});

const contentRequest = z.strictObject({
  contents: z.array(content).min(1, 'contents is not specified'),
  systemInstruction: z.strictObject({ role: text.optional(), parts: content.shape.parts }).optional(),
  tools: z.array(z.strictObject({ functionDeclarations: z.array(declaration).min(1) })).optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: z.strictObject({
        mode: z.enum(['AUTO', 'ANY', 'NONE', 'VALIDATED']).optional(),
        allowedFunctionNames: z.array(text).optional(),
      }),
    })
    .optional(),
  generationConfig: generationConfig.optional(),
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
