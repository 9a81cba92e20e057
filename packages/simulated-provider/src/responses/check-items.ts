import { ProviderError } from '../errors/provider-error.ts';
import type { ContentPart } from './content-part.ts';
import { missing, refusal } from './explain-openai-issue.ts';
import type { InputItem, ResolvedInput } from './input-item.ts';

/** The names of calls in errors, and the kind of call that each result belongs to. */
const CALLS = { function_call: 'function call', custom_tool_call: 'custom tool call' } as const;
const OUTPUTS = {
  function_call_output: 'function_call',
  custom_tool_call_output: 'custom_tool_call',
} as const;

/** Checks the items of a request as a whole. @throws ProviderError 400 */
export function checkItems({ context, items }: ResolvedInput): void {
  checkIds(context);
  checkCalls(context);
  checkReasoning(items);
  for (const [index, item] of items.entries()) checkPictures(item, index);
}

function checkIds(context: readonly InputItem[]): void {
  const seen = new Set<string>();
  for (const { id } of context) {
    if (!id) continue;
    if (seen.has(id)) {
      refuse(`Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`);
    }
    seen.add(id);
  }
}

/** Requires a result for each call, and before each result a call of the same kind. */
function checkCalls(context: readonly InputItem[]): void {
  const open = new Map<string, keyof typeof CALLS>();
  const called = new Map<string, keyof typeof CALLS>();
  for (const item of context) {
    if (item.type === 'function_call' || item.type === 'custom_tool_call') {
      open.set(item.call_id, item.type);
      called.set(item.call_id, item.type);
    } else if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
      const kind = OUTPUTS[item.type];
      if (called.get(item.call_id) !== kind) {
        refuse(`No tool call found for ${CALLS[kind]} output with call_id ${item.call_id}.`);
      }
      open.delete(item.call_id);
    }
  }
  for (const [callId, kind] of open) refuse(`No tool output found for ${CALLS[kind]} ${callId}.`);
}

/**
 * Requires reasoning to come back with the message or call after it. Encrypted reasoning may end the input:
 * Codex continues a broken answer this way.
 */
function checkReasoning(items: readonly InputItem[]): void {
  for (const [index, item] of items.entries()) {
    if (item.type !== 'reasoning') continue;
    const next = items.slice(index + 1).find(({ type }) => type !== 'reasoning');
    const isFollowed = next === undefined ? Boolean(item.encrypted_content) : !isOfCaller(next);
    if (isFollowed) continue;
    refuse(`Item '${item.id ?? ''}' of type 'reasoning' was provided without its required following item.`);
  }
}

function isOfCaller(item: InputItem): boolean {
  return item.type.endsWith('_output') || (item.type === 'message' && item.role !== 'assistant');
}

function checkPictures(item: InputItem, index: number): void {
  const [member, parts] = partsOf(item);
  for (const [position, part] of parts.entries()) {
    if (part.type === 'input_image' && !part.image_url && !part.file_id) {
      throw refusal(missing(`input[${index}].${member}[${position}].image_url`));
    }
    if (part.type === 'input_file' && !part.file_data && !part.file_id && !part.file_url) {
      throw refusal(missing(`input[${index}].${member}[${position}].file_id`));
    }
  }
}

function partsOf(item: InputItem): [member: string, parts: readonly ContentPart[]] {
  if (item.type === 'message') return ['content', item.content];
  const isOutput = item.type === 'function_call_output' || item.type === 'custom_tool_call_output';
  return isOutput && typeof item.output !== 'string' ? ['output', item.output] : ['content', []];
}

function refuse(message: string): never {
  throw new ProviderError(400, message, { param: 'input' });
}
