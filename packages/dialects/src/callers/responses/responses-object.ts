import { DEFAULT_TIER, newId, type ResponsesEcho } from '@model-gateway/shared';
import { isObject, type JsonObject, objectOr } from '../../json/json-object.ts';
import type { Usage } from '../../usage/usage.ts';
import { chatTier } from '../chat-completions/chat-tier.ts';
import type { ResponseError } from './responses-failure.ts';
import { responsesUsage } from './responses-usage.ts';

export interface ResponseState {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  /** JSON of each item. */
  output: readonly string[];
  /** Why it is incomplete. */
  reason?: 'max_output_tokens' | 'content_filter';
  usage?: Usage;
  error?: ResponseError;
}

/** Stores a response for later turns. */
export interface ResponseStore {
  /**
   * @param response JSON of a finished response with `store: true`
   * @param output JSON of each item
   * @returns false if it cannot be stored
   */
  ended(id: string, response: string, output: readonly string[]): boolean;
}

/** Writes response objects with all members that the Open Responses specification requires. */
export class ResponseObject {
  readonly id = newId('resp');
  readonly #createdAt = nowSeconds();
  readonly #modelId: string;
  readonly #echo: ResponsesEcho;
  readonly #store: ResponseStore | undefined;
  /** JSON of members that repeat the request, cached because a stream has them three times. */
  #echoed: string | undefined;

  /** @param store undefined: nothing is stored */
  constructor(modelId: string, echo: ResponsesEcho, store?: ResponseStore) {
    this.#modelId = modelId;
    this.#echo = echo;
    this.#store = store;
  }

  /** @returns JSON */
  json(state: ResponseState): string {
    if (this.#store === undefined || state.status === 'failed') return this.#json(state, false);
    const json = this.#json(state, true);
    if (state.status === 'in_progress' || this.#store.ended(this.id, json, state.output)) return json;
    return this.#json(state, false);
  }

  #json({ error, output, reason, status, usage }: ResponseState, isStored: boolean): string {
    this.#echoed ??= JSON.stringify(echoedMembers(this.#echo)).slice(1, -1);
    const members = [
      `"id":"${this.id}","object":"response","created_at":${this.#createdAt},"status":"${status}"`,
      `"completed_at":${status === 'completed' ? nowSeconds() : 'null'}`,
      `"error":${error === undefined ? 'null' : JSON.stringify(error)}`,
      `"incomplete_details":${reason === undefined ? 'null' : `{"reason":"${reason}"}`}`,
      `"model":${JSON.stringify(this.#modelId)}`,
      `"output":[${output.join(',')}]`,
      `"usage":${usage === undefined ? 'null' : JSON.stringify(responsesUsage(usage))}`,
      `"store":${isStored}`,
      `"service_tier":${JSON.stringify(chatTier(usage?.serviceTier ?? DEFAULT_TIER))}`,
      this.#echoed,
    ];
    return `{${members.join(',')}}`;
  }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

/** Repeats members of the request, with OpenAI's defaults. `store` and the tier are those of the response. */
function echoedMembers({ service_tier: _tier, store: _store, ...echo }: ResponsesEcho) {
  return {
    previous_response_id: null,
    instructions: null,
    tool_choice: 'auto',
    truncation: 'disabled',
    parallel_tool_calls: true,
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 0,
    temperature: 1,
    max_output_tokens: null,
    max_tool_calls: null,
    metadata: {},
    safety_identifier: null,
    prompt_cache_key: null,
    user: null,
    ...echo,
    tools: Array.isArray(echo.tools) ? echo.tools.map(wholeTool) : [],
    text: wholeText(objectOr(echo.text)),
    reasoning: { effort: null, summary: null, ...objectOr(echo.reasoning) },
    background: false,
  };
}

/** Adds optional members of functions, which strict clients require. */
function wholeTool(tool: unknown): unknown {
  if (!isObject(tool) || tool.type !== 'function') return tool;
  return { description: null, parameters: null, strict: null, ...tool };
}

function wholeText({ format, ...text }: JsonObject): JsonObject {
  const asked = isObject(format) ? format : { type: 'text' };
  const whole = asked.type === 'json_schema' ? { description: null, strict: false, ...asked } : asked;
  return { ...text, format: whole };
}
