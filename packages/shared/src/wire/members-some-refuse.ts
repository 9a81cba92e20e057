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

/**
 * Returns the members of a chat request that some OpenAI-compatible servers refuse, such as `store` and
 * `messages[].name`, each once. The traits of a server say which of them it refuses.
 */
export function membersSomeRefuse(
  request: Readonly<Record<string, unknown>>,
  messages: readonly Readonly<Record<string, unknown>>[],
): readonly string[] {
  const found = new Set(Object.keys(request).filter((name) => IN_REQUEST.has(name)));
  for (const message of messages) {
    if (message.role === 'developer') found.add(DEVELOPER_ROLE);
    for (const name of Object.keys(message)) if (IN_MESSAGE.has(name)) found.add(`messages[].${name}`);
  }
  return [...found];
}
