import { ProviderError } from '../errors/provider-error.ts';
import type { CohereChatRequest } from './cohere-chat-request.ts';

/** Features of the models. The last two have the prefixes of real models with the same features. */
const MODELS: ReadonlyMap<string, { thinks: boolean; seesPictures: boolean }> = new Map([
  ['sim-command-pro', { thinks: true, seesPictures: true }],
  ['command-a-reasoning-simulated', { thinks: true, seesPictures: false }],
  ['command-r-simulated', { thinks: false, seesPictures: false }],
]);

/** Checks members against each other and against the model. @throws ProviderError 400, 404 */
export function checkChat(request: CohereChatRequest): void {
  const { messages, model, response_format, strict_tools, thinking, tool_choice, tools = [] } = request;
  const abilities = MODELS.get(model);
  if (abilities === undefined) {
    throw new ProviderError(404, `model '${model}' not found, make sure the correct model ID was used`);
  }
  const refuseIf = (isWrong: boolean, why: string) => {
    if (isWrong) throw new ProviderError(400, `invalid request: ${why}`);
  };
  refuseIf(thinking !== undefined && !abilities.thinks, `thinking is not supported by ${model}`);
  const text = JSON.stringify(messages);
  refuseIf(text.includes('"type":"thinking"') && !abilities.thinks, `${model} takes no thinking content`);
  refuseIf(text.includes('"type":"image_url"') && !abilities.seesPictures, `${model} takes no image content`);
  refuseIf(tool_choice === 'REQUIRED' && tools.length === 0, 'tool_choice needs tools');
  refuseIf(
    response_format?.type === 'json_object' && tools.length > 0,
    'cannot specify response_format with tools',
  );
  const areStrict = tools.every(({ function: { parameters } }) => {
    return Array.isArray(parameters.required) && parameters.required.length > 0;
  });
  refuseIf(strict_tools === true && !areStrict, 'strict_tools: each tool must have a required parameter');
  checkTurns(messages, refuseIf);
}

/** Checks that each call has one result, before any other message, and no text beside it. */
function checkTurns(
  messages: CohereChatRequest['messages'],
  refuseIf: (isWrong: boolean, why: string) => void,
): void {
  let waiting = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      refuseIf(!waiting.delete(message.tool_call_id), `no tool call found for id '${message.tool_call_id}'`);
      continue;
    }
    refuseIf(waiting.size > 0, 'all tool calls must be followed by their results');
    if (message.role !== 'assistant') continue;
    const { content, tool_calls: calls = [] } = message;
    refuseIf(
      content === undefined && calls.length === 0,
      'an assistant message must have content or tool_calls',
    );
    refuseIf(
      calls.length > 0 && JSON.stringify(content ?? []).includes('"type":"text"'),
      'an assistant message with tool_calls takes a tool_plan, and no text',
    );
    waiting = new Set(calls.map(({ id }) => id));
    refuseIf(waiting.size < calls.length, 'tool calls must have different ids');
    for (const { function: called } of calls)
      refuseIf(!isObjectJson(called.arguments), 'arguments must be JSON');
  }
  refuseIf(waiting.size > 0, 'all tool calls must be followed by their results');
}

function isObjectJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value);
  } catch {
    return false;
  }
}
