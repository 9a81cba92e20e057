import { z } from 'zod';

/** The tools that a request offers, and what it says of calling them. */

const name = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-zA-Z0-9_-]+$/);
const jsonObject = z.record(z.string(), z.unknown());
const offer = {
  allowed_callers: z.array(z.string()).nullish(),
  async: z.boolean().nullish(),
  defer_loading: z.boolean().nullish(),
};

const functionTool = z.strictObject({
  type: z.literal('function'),
  name,
  description: z.string().nullish(),
  parameters: jsonObject.nullish(),
  strict: z.boolean().nullish(),
  output_schema: jsonObject.nullish(),
  ...offer,
});
const customTool = z.strictObject({
  type: z.literal('custom'),
  name,
  description: z.string().nullish(),
  format: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text') }),
      z.strictObject({
        type: z.literal('grammar'),
        syntax: z.enum(['lark', 'regex']),
        definition: z.string(),
      }),
    ])
    .nullish(),
  ...offer,
});
const namespaceTool = z.strictObject({
  type: z.literal('namespace'),
  name,
  description: z.string(),
  tools: z.array(z.discriminatedUnion('type', [functionTool, customTool])).min(1),
});

const SEARCHES = [
  'web_search',
  'web_search_2025_08_26',
  'web_search_preview',
  'web_search_preview_2025_03_11',
] as const;
/** Tools of the provider that are not simulated. They are accepted and never called. */
const OTHERS = [
  'file_search',
  'code_interpreter',
  'computer',
  'computer_use',
  'computer_use_preview',
  'mcp',
  'image_generation',
  'local_shell',
  'shell',
  'apply_patch',
  'tool_search',
  'programmatic_tool_calling',
] as const;

const searchTool = z.strictObject({
  type: z.enum(SEARCHES),
  external_web_access: z.boolean().nullish(),
  filters: z.looseObject({}).nullish(),
  search_content_types: z.array(z.enum(['text', 'image'])).nullish(),
  search_context_size: z.enum(['low', 'medium', 'high']).nullish(),
  user_location: z.looseObject({}).nullish(),
});

export const tool = z.discriminatedUnion('type', [
  functionTool,
  customTool,
  namespaceTool,
  searchTool,
  z.looseObject({ type: z.enum(OTHERS) }),
]);
export type Tool = z.infer<typeof tool>;

export const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('function'), name: z.string(), namespace: z.string().nullish() }),
    z.strictObject({ type: z.literal('custom'), name: z.string(), namespace: z.string().nullish() }),
    z.strictObject({
      type: z.literal('allowed_tools'),
      mode: z.enum(['auto', 'required']),
      tools: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })).min(1),
    }),
    z.looseObject({ type: z.enum([...SEARCHES, ...OTHERS]) }),
  ]),
]);

export function isSearch({ type }: { type: string }): boolean {
  return type.startsWith('web_search');
}
