import { z } from 'zod';

/**
 * Requests of Converse, https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html.
 * Members that it does not name are refused.
 */
const cachePoint = z.strictObject({ type: z.literal('default'), ttl: z.enum(['5m', '1h']).optional() });
const bytes = z.strictObject({ bytes: z.base64().min(1) });
const image = z.strictObject({ format: z.enum(['png', 'jpeg', 'gif', 'webp']), source: bytes });
const document = z.strictObject({
  format: z.enum(['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md']),
  name: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[A-Za-z0-9()[\]-]+(?: [A-Za-z0-9()[\]-]+)*$/),
  source: bytes,
});
const id = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z0-9_-]+$/);
const toolUse = z.strictObject({ toolUseId: id, name: z.string().min(1).max(64), input: z.looseObject({}) });

const resultContent = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ json: z.looseObject({}) }),
  z.strictObject({ image }),
  z.strictObject({ document }),
]);
const toolResult = z.strictObject({
  toolUseId: id,
  content: z.array(resultContent).min(1),
  status: z.enum(['success', 'error']).optional(),
});
const reasoningContent = z.union([
  z.strictObject({ reasoningText: z.strictObject({ text: z.string(), signature: z.string().optional() }) }),
  z.strictObject({ redactedContent: z.string() }),
]);
const text = z.strictObject({
  text: z.string().regex(/\S/, 'The text field in the ContentBlock object is blank'),
});

const contentBlock = z.union([
  text,
  z.strictObject({ image }),
  z.strictObject({ document }),
  z.strictObject({ toolUse }),
  z.strictObject({ toolResult }),
  z.strictObject({ reasoningContent }),
  z.strictObject({ cachePoint }),
]);

const tool = z.union([
  z.strictObject({
    toolSpec: z.strictObject({
      name: z
        .string()
        .min(1)
        .max(64)
        .regex(/^[A-Za-z0-9_-]+$/),
      description: z.string().min(1).optional(),
      inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal('object') }) }),
      strict: z.boolean().optional(),
    }),
  }),
  z.strictObject({ cachePoint }),
]);
const toolChoice = z.union([
  z.strictObject({ auto: z.strictObject({}) }),
  z.strictObject({ any: z.strictObject({}) }),
  z.strictObject({ tool: z.strictObject({ name: z.string() }) }),
]);

export const converseRequest = z.strictObject({
  messages: z
    .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(contentBlock).min(1) }))
    .min(1),
  system: z.array(z.union([text, z.strictObject({ cachePoint })])).optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string().min(1)).optional(),
    })
    .optional(),
  toolConfig: z.strictObject({ tools: z.array(tool).min(1), toolChoice: toolChoice.optional() }).optional(),
  additionalModelRequestFields: z.looseObject({}).optional(),
  outputConfig: z
    .strictObject({
      textFormat: z.strictObject({
        type: z.literal('json_schema'),
        structure: z.strictObject({
          jsonSchema: z.strictObject({
            schema: z.string(),
            name: z.string().optional(),
            description: z.string().optional(),
          }),
        }),
      }),
    })
    .optional(),
});

export type ConverseRequest = z.infer<typeof converseRequest>;
export type ConverseBlock = z.infer<typeof contentBlock>;
export type ConverseResultBlock = z.infer<typeof resultContent>;
