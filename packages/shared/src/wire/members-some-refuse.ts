/** Members of requests that only OpenAI has; strict servers refuse them. */
export const ONLY_OPENAI_REQUEST_MEMBERS = [
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'verbosity',
] as const;

/** Message members that only OpenAI has. Strict servers refuse even null, which client libraries send. */
export const ONLY_OPENAI_MESSAGE_MEMBERS = [
  'annotations',
  'audio',
  'function_call',
  'name',
  'refusal',
] as const;

const IN_REQUEST: ReadonlySet<string> = new Set([
  ...ONLY_OPENAI_REQUEST_MEMBERS,
  'max_completion_tokens',
  'store',
  'stream_options',
]);
const IN_MESSAGE: ReadonlySet<string> = new Set([
  ...ONLY_OPENAI_MESSAGE_MEMBERS,
  'reasoning',
  'reasoning_content',
  'reasoning_details',
]);
export const DEVELOPER_ROLE = 'messages[].role: developer';
export const LATER_SYSTEM = 'messages[].role: system after the first message';
export const CALLS_WITH_EXTRA_CONTENT = 'messages[].tool_calls[].extra_content';
export const CALLS_WITHOUT_REASONING = 'messages[].tool_calls without reasoning_content';

/**
 * Returns the members of a chat request that some OpenAI-compatible servers refuse or miss, such as `store`
 * and `messages[].name`, each once. The traits of a server say which of them it refuses.
 */
export function membersSomeRefuse(
  request: Readonly<Record<string, unknown>>,
  messages: readonly Readonly<Record<string, unknown>>[],
): readonly string[] {
  const found: string[] = [];
  const add = (name: string) => {
    if (!found.includes(name)) found.push(name);
  };
  for (const name of Object.keys(request)) if (IN_REQUEST.has(name)) add(name);
  for (const message of messages) {
    for (const name of Object.keys(message)) if (IN_MESSAGE.has(name)) add(`messages[].${name}`);
    if (message.role === 'developer') add(DEVELOPER_ROLE);
    if (message !== messages[0] && isInstruction(message)) add(LATER_SYSTEM);
    if (!Array.isArray(message.tool_calls)) continue;
    if (!message.reasoning_content) add(CALLS_WITHOUT_REASONING);
    if (message.tool_calls.some(hasExtraContent)) add(CALLS_WITH_EXTRA_CONTENT);
  }
  return found;
}

/** Returns true for a message of the role `system` or `developer`. */
export function isInstruction({ role }: Readonly<Record<string, unknown>>): boolean {
  return role === 'system' || role === 'developer';
}

/** Returns true for a call with the thought signature of a Gemini model. */
function hasExtraContent(call: unknown): boolean {
  return typeof call === 'object' && call !== null && 'extra_content' in call;
}
