import { z } from 'zod';
import { anyObject, count, oneOf } from '../schemas/members.ts';

/**
 * Requests of Converse, https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html.
 * Unknown members are refused.
 */
const { strictObject, union } = z;
const short = z.string().min(1).max(64);
const identifier = short.regex(/^[A-Za-z0-9_-]+$/);

const cachePoint = strictObject({
  cachePoint: strictObject({ type: z.literal('default'), ttl: oneOf('5m 1h').optional() }),
});
const source = strictObject({ bytes: z.base64().min(1) });
const image = strictObject({
  image: strictObject({ format: oneOf('png jpeg gif webp'), source }),
});
const documentName = /^[A-Za-z0-9()[\]-]+(?: [A-Za-z0-9()[\]-]+)*$/;
const document = strictObject({
  document: strictObject({
    format: oneOf('pdf csv doc docx xls xlsx html txt md'),
    name: z.string().min(1).max(200).regex(documentName),
    source,
  }),
});

const resultContent = union([
  strictObject({ text: z.string() }),
  strictObject({ json: anyObject }),
  image,
  document,
]);
const reasoningContent = union([
  strictObject({ reasoningText: strictObject({ text: z.string(), signature: z.string().optional() }) }),
  strictObject({ redactedContent: z.string() }),
]);
const text = strictObject({
  text: z.string().regex(/\S/, 'The text field in the ContentBlock object is blank'),
});

const contentBlock = union([
  text,
  image,
  document,
  strictObject({ toolUse: strictObject({ toolUseId: identifier, name: short, input: anyObject }) }),
  strictObject({
    toolResult: strictObject({
      toolUseId: identifier,
      content: z.array(resultContent).min(1),
      status: oneOf('success error').optional(),
    }),
  }),
  strictObject({ reasoningContent }),
  cachePoint,
]);

const tool = union([
  strictObject({
    toolSpec: strictObject({
      name: identifier,
      description: z.string().min(1).optional(),
      inputSchema: strictObject({ json: z.looseObject({ type: z.literal('object') }) }),
      strict: z.boolean().optional(),
    }),
  }),
  cachePoint,
]);
const toolChoice = union([
  strictObject({ auto: strictObject({}) }),
  strictObject({ any: strictObject({}) }),
  strictObject({ tool: strictObject({ name: z.string() }) }),
]);
const share = z.number().min(0).max(1).optional();
const jsonSchema = strictObject({
  schema: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
});

export const converseRequest = strictObject({
  messages: z
    .array(strictObject({ role: oneOf('user assistant'), content: z.array(contentBlock).min(1) }))
    .min(1),
  system: z.array(union([text, cachePoint])).optional(),
  inferenceConfig: strictObject({
    maxTokens: count(1).optional(),
    temperature: share,
    topP: share,
    stopSequences: z.array(z.string().min(1)).optional(),
  }).optional(),
  toolConfig: strictObject({ tools: z.array(tool).min(1), toolChoice: toolChoice.optional() }).optional(),
  additionalModelRequestFields: anyObject.optional(),
  serviceTier: strictObject({ type: oneOf('priority default flex reserved') }).optional(),
  outputConfig: strictObject({
    textFormat: strictObject({ type: z.literal('json_schema'), structure: strictObject({ jsonSchema }) }),
  }).optional(),
});

export type ConverseRequest = z.infer<typeof converseRequest>;
export type ConverseBlock = z.infer<typeof contentBlock>;
export type ConverseResultBlock = z.infer<typeof resultContent>;
