import { z } from 'zod';
import { inputParts, outputParts } from './content-part.ts';
import { tool } from './tool.ts';

/** The items of a conversation. Members that the API does not name are refused, and so are other types. */

const status = { status: z.enum(['in_progress', 'completed', 'incomplete']).nullish() };
const caller = { caller: z.looseObject({ type: z.string() }).nullish() };
const idOf = (prefix: string) => ({ id: z.string().startsWith(prefix).nullish() });
const callId = { call_id: z.string().min(1).max(64) };
const phase = { phase: z.enum(['commentary', 'final_answer']).nullish() };
/** Codex notes here where a message of its own comes from. */
const noted = { internal_chat_message_metadata_passthrough: z.looseObject({}).nullish() };
const output = { output: z.union([z.string(), inputParts]) };

const asked = z.strictObject({
  type: z.literal('message'),
  role: z.enum(['user', 'system', 'developer']),
  content: inputParts,
  ...idOf('msg'),
  ...status,
  ...phase,
  ...noted,
});
const answered = z.strictObject({
  type: z.literal('message'),
  role: z.literal('assistant'),
  content: outputParts,
  ...idOf('msg'),
  ...status,
  ...phase,
  ...noted,
});
const functionCall = z.strictObject({
  type: z.literal('function_call'),
  ...idOf('fc'),
  ...callId,
  name: z.string().min(1),
  namespace: z.string().nullish(),
  arguments: z.string(),
  async: z.boolean().nullish(),
  ...status,
  ...caller,
  ...noted,
});
const functionCallOutput = z.strictObject({
  type: z.literal('function_call_output'),
  id: z.string().nullish(),
  ...callId,
  ...output,
  name: z.string().nullish(),
  namespace: z.string().nullish(),
  ...status,
  ...caller,
  ...noted,
});
const customToolCall = z.strictObject({
  type: z.literal('custom_tool_call'),
  ...idOf('ctc'),
  ...callId,
  name: z.string().min(1),
  namespace: z.string().nullish(),
  input: z.string(),
  async: z.boolean().nullish(),
  ...status,
  ...caller,
  ...noted,
});
const customToolCallOutput = z.strictObject({
  type: z.literal('custom_tool_call_output'),
  id: z.string().nullish(),
  ...callId,
  ...output,
  ...status,
  ...caller,
  ...noted,
});
const reasoning = z.strictObject({
  type: z.literal('reasoning'),
  ...idOf('rs'),
  summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
  content: z.array(z.strictObject({ type: z.literal('reasoning_text'), text: z.string() })).nullish(),
  encrypted_content: z.string().nullish(),
  ...status,
  ...noted,
});
const webSearchCall = z.strictObject({
  type: z.literal('web_search_call'),
  ...idOf('ws'),
  status: z.enum(['in_progress', 'searching', 'completed', 'failed', 'incomplete']).nullish(),
  action: z.looseObject({ type: z.string() }).nullish(),
});
const itemReference = z.strictObject({ type: z.literal('item_reference'), id: z.string().min(1) });

/** Tools that a developer adds in the middle of a conversation, or all of them, as Codex does. */
const additionalTools = z.strictObject({
  type: z.literal('additional_tools'),
  ...idOf('at'),
  role: z.literal('developer'),
  tools: z.array(tool),
  ...noted,
});

/** Items of tools that are not simulated. They are accepted and not read. */
const other = z.looseObject({
  type: z.enum([
    'file_search_call',
    'computer_call',
    'computer_call_output',
    'image_generation_call',
    'code_interpreter_call',
    'local_shell_call',
    'local_shell_call_output',
    'shell_call',
    'shell_call_output',
    'apply_patch_call',
    'apply_patch_call_output',
    'mcp_list_tools',
    'mcp_approval_request',
    'mcp_approval_response',
    'mcp_call',
    'tool_search_call',
    'tool_search_output',
    'configuration_update',
    'compaction',
    'compaction_trigger',
    'program',
    'program_output',
  ]),
  id: z.string().nullish(),
});

const item = z.discriminatedUnion('type', [
  z.discriminatedUnion('role', [asked, answered]),
  functionCall,
  functionCallOutput,
  customToolCall,
  customToolCallOutput,
  reasoning,
  webSearchCall,
  itemReference,
  additionalTools,
  other,
]);

export const inputItem = z.preprocess(withDefaults, item);
export type InputItem = z.infer<typeof inputItem>;

/** The input of a request, with everything it continues from. */
export interface ResolvedInput {
  /** The items of the request itself; what it refers to stands in the place of the reference. */
  items: InputItem[];
  /** Items, those of earlier responses first. */
  context: InputItem[];
}

/** A text may stand for a list with one text, and what has a role for a message. */
function withDefaults(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const type = 'type' in value ? value.type : undefined;
  if (type === undefined && !('role' in value))
    return 'id' in value ? { ...value, type: 'item_reference' } : value;
  if (type !== undefined && type !== 'message') return value;
  const content = 'content' in value ? value.content : undefined;
  const isAnswer = 'role' in value && value.role === 'assistant';
  const text = { type: isAnswer ? 'output_text' : 'input_text', text: content };
  return { ...value, type: 'message', ...(typeof content === 'string' ? { content: [text] } : {}) };
}
