import { ProviderError } from '../errors/provider-error.ts';
import { checkSchema } from './check-schema.ts';
import type { ResponsesRequest } from './responses-request.ts';

/** Checks what members of a request demand of each other. @throws ProviderError 400, 404 */
export function checkOptions(request: ResponsesRequest): void {
  checkBeginning(request);
  const { background, store, stream, stream_options } = request;
  if (background === true && store === false) {
    refuse('background', "The 'background' parameter requires 'store' to be true.");
  }
  if (stream_options && stream !== true) {
    refuse('stream_options', "The 'stream_options' parameter is only allowed when 'stream' is enabled.");
  }
  checkToolChoice(request);
  checkSchemas(request);
}

/** Neither conversations nor prompts can be kept here, so none is found. */
function checkBeginning({
  conversation,
  input,
  previous_response_id: previous,
  prompt,
}: ResponsesRequest): void {
  if (conversation && previous) {
    refuse(
      'previous_response_id',
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. " +
        'Ensure you are only providing one of these.',
    );
  }
  if (conversation) {
    const id = typeof conversation === 'string' ? conversation : conversation.id;
    throw new ProviderError(404, `Conversation with id '${id}' not found.`, { param: 'conversation' });
  }
  if (prompt) throw new ProviderError(404, `Prompt with id '${prompt.id}' not found.`, { param: 'prompt' });
  if (input !== null && input !== undefined) return;
  if (previous) return;
  refuse('input', "One of 'input', 'previous_response_id', 'prompt' or 'conversation' must be provided.");
}

function checkToolChoice({ tool_choice: choice, tools }: ResponsesRequest): void {
  if (!choice || choice === 'auto' || choice === 'none') return;
  const offered = (tools ?? []).flatMap((tool) => (tool.type === 'namespace' ? tool.tools : [tool]));
  const isOffered = (wanted: { type: string; name?: unknown }) =>
    offered.some((tool) => {
      return (
        tool.type === wanted.type &&
        (wanted.name === undefined || ('name' in tool && tool.name === wanted.name))
      );
    });
  if (choice === 'required') {
    if (offered.length === 0) refuse('tool_choice', "Tool choice 'required' must be specified with 'tools'.");
    return;
  }
  const wanted: readonly { type: string; name?: unknown }[] =
    choice.type === 'allowed_tools' && Array.isArray(choice.tools) ? choice.tools : [choice];
  for (const tool of wanted) {
    if (isOffered(tool)) continue;
    refuse('tool_choice', `Tool choice '${String(tool.name ?? tool.type)}' not found in 'tools' parameter.`);
  }
}

/** Requires strict schemas to be schemas that a model can be held to. */
function checkSchemas({ text, tools }: ResponsesRequest): void {
  const format = text?.format;
  if (format?.type === 'json_schema' && format.strict === true) {
    checkSchema(format.schema, {
      what: `response_format '${format.name}'`,
      param: 'text.format.schema',
      code: 'invalid_json_schema',
    });
  }
  for (const [index, tool] of (tools ?? []).entries()) {
    if (tool.type !== 'function' || tool.strict !== true) continue;
    checkSchema(tool.parameters, {
      what: `function '${tool.name}'`,
      param: `tools[${index}].parameters`,
      code: 'invalid_function_parameters',
    });
  }
}

function refuse(param: string, message: string): never {
  throw new ProviderError(400, message, { param, code: 'invalid_request' });
}
