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

function message({ preamble, text, toolCalls }: ChatChoice): object {
  const shared = { role: 'assistant', refusal: null, annotations: [] };
  if (toolCalls.length === 0) return { ...shared, content: preamble + text };
  const calls = toolCalls.map(({ id, name, arguments: args }) => {
    return { id, type: 'function', function: { name, arguments: args } };
  });
  return { ...shared, content: preamble || null, tool_calls: calls };
}
