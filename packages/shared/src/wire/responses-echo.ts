/** Members of the request that its response object repeats, as the caller wrote them. */
export interface ResponsesEcho {
  readonly [member: string]: unknown;
}

/** The members of a request that OpenAI's response object has as well. */
const REPEATED = [
  'background',
  'frequency_penalty',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'parallel_tool_calls',
  'presence_penalty',
  'previous_response_id',
  'prompt_cache_key',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'store',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
] as const;

/** Bounds the repeated members: a stream has the response object three times. */
const MAX_CHARACTERS = 256 * 1024;
const MAX_VALUES = 20_000;

/** Returns the members to repeat, without those that are too large together. */
export function echoOf(request: Readonly<Record<string, unknown>>): ResponsesEcho {
  const echo: Record<string, unknown> = {};
  const left = { characters: MAX_CHARACTERS, values: MAX_VALUES };
  for (const member of REPEATED) {
    const value = request[member];
    if (value !== undefined && value !== null && fits(value, left)) echo[member] = value;
  }
  return echo;
}

/** Takes the value's size from what is left; returns false if it is too large. */
function fits(value: unknown, left: { characters: number; values: number }): boolean {
  left.values -= 1;
  if (left.values < 0 || left.characters < 0) return false;
  if (typeof value === 'string') left.characters -= value.length;
  else if (Array.isArray(value)) return value.every((entry) => fits(entry, left));
  else if (typeof value === 'object' && value !== null)
    for (const [name, entry] of Object.entries(value)) {
      left.characters -= name.length;
      if (!fits(entry, left)) return false;
    }
  return left.characters >= 0;
}
