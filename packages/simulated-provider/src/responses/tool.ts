import { z } from 'zod';
import { anyObject, oneOf, typed } from '../schemas/members.ts';

/** The tools that a request offers, and how it wants them called. */

const text = z.string().nullish();
const flag = z.boolean().nullish();
export const functionName = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-zA-Z0-9_-]+$/);
export const jsonObject = z.record(z.string(), z.unknown());
const shared = { allowed_callers: z.array(z.string()).nullish(), async: flag, defer_loading: flag };

const functionTool = typed('function', {
  name: functionName,
  description: text,
  parameters: jsonObject.nullish(),
  strict: flag,
  output_schema: jsonObject.nullish(),
  ...shared,
});
const inputFormat = z.discriminatedUnion('type', [
  typed('text', {}),
  typed('grammar', { syntax: oneOf('lark regex'), definition: z.string() }),
]);
const customTool = typed('custom', {
  name: functionName,
  description: text,
  format: inputFormat.nullish(),
  ...shared,
});
const namespaceTool = typed('namespace', {
  name: functionName,
  description: z.string(),
  tools: z.array(z.discriminatedUnion('type', [functionTool, customTool])).min(1),
});

const SEARCHES = [
  'web_search web_search_2025_08_26 web_search_preview web_search_preview_2025_03_11',
] as const;
/** Tools of the provider that are not simulated. They are accepted and never called. */
const OTHERS = [
  'file_search code_interpreter computer computer_use computer_use_preview mcp image_generation',
  'local_shell shell apply_patch tool_search programmatic_tool_calling',
] as const;

const searchTool = z.strictObject({
  type: oneOf(...SEARCHES),
  external_web_access: flag,
  filters: anyObject.nullish(),
  search_content_types: z.array(oneOf('text image')).nullish(),
  search_context_size: oneOf('low medium high').nullish(),
  user_location: anyObject.nullish(),
});

export const tool = z.discriminatedUnion('type', [
  functionTool,
  customTool,
  namespaceTool,
  searchTool,
  z.looseObject({ type: oneOf(...OTHERS) }),
]);
export type Tool = z.infer<typeof tool>;

const named = { name: z.string(), namespace: text };
const allowedTool = z.looseObject({ type: z.string(), name: z.string().optional() });
export const toolChoice = z.union([
  oneOf('none auto required'),
  z.discriminatedUnion('type', [
    typed('function', named),
    typed('custom', named),
    typed('allowed_tools', { mode: oneOf('auto required'), tools: z.array(allowedTool).min(1) }),
    z.looseObject({ type: oneOf(...SEARCHES, ...OTHERS) }),
  ]),
]);

export function isSearch({ type }: { type: string }): boolean {
  return type.startsWith('web_search');
}
