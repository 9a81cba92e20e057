import type { PlannedResponse } from './plan-response.ts';
import type { ResponsesRequest } from './responses-request.ts';
import type { Tool } from './tool.ts';

/** How far a response has got. */
export type Progress = 'queued' | 'in_progress' | 'cancelled' | 'ended';

const FAILURE = {
  code: 'server_error',
  message: 'An error occurred while processing your request. You can retry your request.',
};

/** Serializes a response: members of the request and, at the end, the output. */
export function responseObject(response: PlannedResponse, progress: Progress): object {
  const { createdAt, id, reason, request, status, usage } = response;
  const isEnded = progress === 'ended';
  return {
    id,
    object: 'response',
    created_at: createdAt,
    status: isEnded ? status : progress,
    background: request.background === true,
    // The time of creation, so that a response is the same whenever it is retrieved.
    completed_at: isEnded && status === 'completed' ? createdAt : null,
    error: isEnded && status === 'failed' ? FAILURE : null,
    incomplete_details: isEnded && reason !== null ? { reason } : null,
    ...repeated(request),
    model: request.model,
    output: isEnded ? response.output : [],
    service_tier: isEnded ? response.serviceTier : (request.service_tier ?? 'auto'),
    usage: isEnded ? (usage ?? null) : null,
  };
}

/** Repeats members of the request, with their defaults. */
function repeated(request: ResponsesRequest): object {
  return {
    frequency_penalty: request.frequency_penalty ?? 0,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    presence_penalty: request.presence_penalty ?? 0,
    previous_response_id: request.previous_response_id ?? null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    prompt_cache_retention: request.prompt_cache_retention ?? null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    safety_identifier: request.safety_identifier ?? null,
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: { format: formatOf(request), verbosity: request.text?.verbosity ?? 'medium' },
    tool_choice: request.tool_choice ?? 'auto',
    tools: (request.tools ?? []).map(repeatedTool),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    user: request.user ?? null,
  };
}

function formatOf({ text }: ResponsesRequest): object {
  const format = text?.format;
  if (format?.type !== 'json_schema') return format ?? { type: 'text' };
  return { ...format, description: format.description ?? null, strict: format.strict ?? false };
}

/** Functions are strict by default. */
function repeatedTool(tool: Tool): object {
  if (tool.type !== 'function') return tool;
  const { description = null, parameters = null, strict } = tool;
  return { ...tool, description, parameters, strict: strict ?? true };
}
