import { ProviderError } from '../errors/provider-error.ts';
import { checkStrictSchema } from '../schemas/strict-schema.ts';
import { explainOpenAiIssue, refusal } from './explain-openai-issue.ts';
import { type ResponsesRequest, responsesRequest } from './responses-request.ts';

/** Checks a request as OpenAI does. @throws ProviderError 400 that names the first mistake */
export function parseResponses(json: unknown): ResponsesRequest {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new ProviderError(400, 'We could not parse the JSON body of your request.');
  }
  const { data, error } = responsesRequest.safeParse(json, { reportInput: true });
  if (data === undefined) {
    const [issue] = error.issues;
    throw issue === undefined
      ? new ProviderError(400, 'Invalid request.')
      : refusal(explainOpenAiIssue(issue));
  }
  checkOptions(data);
  return data;
}

/** Checks members of a request against each other. @throws ProviderError 400, 404 */
function checkOptions(request: ResponsesRequest): void {
  checkInput(request);
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

/** Conversations and prompts cannot be stored here, so none is found. */
function checkInput({ conversation, input, previous_response_id: previous, prompt }: ResponsesRequest): void {
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
  if ((input !== null && input !== undefined) || previous) return;
  refuse('input', "One of 'input', 'previous_response_id', 'prompt' or 'conversation' must be provided.");
}

type NamedTool = { type: string; name?: unknown };

function checkToolChoice({ tool_choice: choice, tools }: ResponsesRequest): void {
  if (!choice || choice === 'auto' || choice === 'none') return;
  const offered: NamedTool[] = (tools ?? []).flatMap((tool) =>
    tool.type === 'namespace' ? tool.tools : [tool],
  );
  if (choice === 'required') {
    if (offered.length === 0) refuse('tool_choice', "Tool choice 'required' must be specified with 'tools'.");
    return;
  }
  const wanted: readonly NamedTool[] =
    choice.type === 'allowed_tools' && Array.isArray(choice.tools) ? choice.tools : [choice];
  for (const { name, type } of wanted) {
    if (offered.some((tool) => tool.type === type && (name === undefined || tool.name === name))) continue;
    refuse('tool_choice', `Tool choice '${String(name ?? type)}' not found in 'tools' parameter.`);
  }
}

/** Checks the schemas that must be strict. */
function checkSchemas({ text, tools }: ResponsesRequest): void {
  const format = text?.format;
  if (format?.type === 'json_schema' && format.strict === true) {
    const what = `response_format '${format.name}'`;
    checkStrictSchema(format.schema, { what, param: 'text.format.schema', code: 'invalid_json_schema' });
  }
  for (const [index, tool] of (tools ?? []).entries()) {
    if (tool.type !== 'function' || tool.strict !== true) continue;
    const param = `tools[${index}].parameters`;
    const place = { what: `function '${tool.name}'`, param, code: 'invalid_function_parameters' };
    checkStrictSchema(tool.parameters, place);
  }
}

function refuse(param: string, message: string): never {
  throw new ProviderError(400, message, { param, code: 'invalid_request' });
}
