import { z } from 'zod';
import { oneOf, typed } from '../schemas/members.ts';
import { inputParts, outputParts } from './content-part.ts';
import { tool } from './tool.ts';

/** The items of a conversation. Unknown members and unknown types of items are refused. */

const text = z.string().nullish();
const idOf = (prefix: string) => ({ id: z.string().startsWith(prefix).nullish() });
/** Codex stores the origin of its own messages here. */
const codexMetadata = { internal_chat_message_metadata_passthrough: z.looseObject({}).nullish() };
const status = { status: oneOf('in_progress completed incomplete').nullish() };
const callId = { call_id: z.string().min(1).max(64) };

const messageMembers = {
  ...idOf('msg'),
  ...status,
  phase: oneOf('commentary final_answer').nullish(),
  ...codexMetadata,
};
const toolMembers = { ...status, caller: z.looseObject({ type: z.string() }).nullish(), ...codexMetadata };
const callMembers = {
  ...callId,
  name: z.string().min(1),
  namespace: text,
  async: z.boolean().nullish(),
  ...toolMembers,
};
const outputMembers = { id: text, ...callId, output: z.union([z.string(), inputParts]), ...toolMembers };

const inputMessage = typed('message', {
  role: oneOf('user system developer'),
  content: inputParts,
  ...messageMembers,
});
const outputMessage = typed('message', {
  role: z.literal('assistant'),
  content: outputParts,
  ...messageMembers,
});
const reasoning = typed('reasoning', {
  ...idOf('rs'),
  summary: z.array(typed('summary_text', { text: z.string() })),
  content: z.array(typed('reasoning_text', { text: z.string() })).nullish(),
  encrypted_content: text,
  ...status,
  ...codexMetadata,
});
const webSearchCall = typed('web_search_call', {
  ...idOf('ws'),
  status: oneOf('in_progress searching completed failed incomplete').nullish(),
  action: z.looseObject({ type: z.string() }).nullish(),
});
/** Tools that a developer adds in the middle of a conversation, or all of them, as Codex does. */
const additionalTools = typed('additional_tools', {
  ...idOf('at'),
  role: z.literal('developer'),
  tools: z.array(tool),
  ...codexMetadata,
});

/** Items of tools that are not simulated. They are accepted and not read. */
const other = z.looseObject({
  type: oneOf(
    'file_search_call computer_call computer_call_output image_generation_call code_interpreter_call',
    'local_shell_call local_shell_call_output shell_call shell_call_output apply_patch_call',
    'apply_patch_call_output mcp_list_tools mcp_approval_request mcp_approval_response mcp_call',
    'tool_search_call tool_search_output configuration_update compaction compaction_trigger program',
    'program_output',
  ),
  id: text,
});

const item = z.discriminatedUnion('type', [
  z.discriminatedUnion('role', [inputMessage, outputMessage]),
  typed('function_call', { ...idOf('fc'), ...callMembers, arguments: z.string() }),
  typed('function_call_output', { ...outputMembers, name: text, namespace: text }),
  typed('custom_tool_call', { ...idOf('ctc'), ...callMembers, input: z.string() }),
  typed('custom_tool_call_output', outputMembers),
  reasoning,
  webSearchCall,
  typed('item_reference', { id: z.string().min(1) }),
  additionalTools,
  other,
]);

export const inputItem = z.preprocess(withDefaults, item);
export type InputItem = z.infer<typeof inputItem>;

/** The input of a request, with everything that it continues. */
export interface ResolvedInput {
  /** The items of the request itself, with references replaced by what they refer to. */
  items: InputItem[];
  /** All items, those of earlier responses first. */
  context: InputItem[];
}

/** Accepts a text instead of a list with one text, and a message without its type. */
function withDefaults(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { content, role, type }: Record<string, unknown> = { ...value };
  if (type === undefined && !('role' in value))
    return 'id' in value ? { ...value, type: 'item_reference' } : value;
  if (type !== undefined && type !== 'message') return value;
  const words = { type: role === 'assistant' ? 'output_text' : 'input_text', text: content };
  return { ...value, type: 'message', ...(typeof content === 'string' ? { content: [words] } : {}) };
}
