import type { ChatChoice, Completion } from './plan-completion.ts';

/** The body of an answer that is not streamed. */
export function completionBody({ id, created, model, choices, usage }: Completion): object {
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: choices.map((choice, index) => ({
      index,
      message: message(choice),
      logprobs: null,
      finish_reason: choice.finishReason,
    })),
    ...(usage === undefined ? {} : { usage }),
    service_tier: 'default',
    system_fingerprint: 'fp_simulated',
  };
}

function message({ preamble, text, toolCall }: ChatChoice): object {
  const shared = { role: 'assistant', refusal: null, annotations: [] };
  if (toolCall === undefined) return { ...shared, content: preamble + text };
  const { id, name, arguments: args } = toolCall;
  return {
    ...shared,
    content: preamble || null,
    tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
  };
}
