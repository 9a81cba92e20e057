import { refuse } from '../errors/provider-error.ts';
import { type MessagesRequest, turnsOf } from './messages-request.ts';

/** Checks members of a request against each other. @throws ProviderError 400 */
export function checkOptions(request: MessagesRequest): void {
  checkTools(request);
  checkThinking(request);
  const schema = request.output_config?.format?.schema;
  if (schema !== undefined) checkSchema(schema, 'output_config.format.schema');
}

function checkTools({ tool_choice: choice, tools }: MessagesRequest): void {
  const names = (tools ?? []).flatMap(({ name }) => name ?? []);
  if (new Set(names).size < names.length) refuse('tools: Tool names must be unique.');
  if (choice === null || choice === undefined) return;
  if (!tools?.length) refuse('tool_choice: `tool_choice` may only be specified while providing `tools`.');
  if (choice.type === 'tool' && !names.includes(choice.name)) {
    refuse(`tool_choice.tool: Tool '${choice.name}' not found in provided tools`);
  }
}

/** https://docs.claude.com/en/docs/build-with-claude/extended-thinking, "Feature compatibility". */
function checkThinking(request: MessagesRequest): void {
  const { max_tokens, temperature, thinking, tool_choice, top_k, top_p } = request;
  if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') return;
  if (thinking.type === 'enabled' && thinking.budget_tokens >= max_tokens) {
    refuse('`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  if ((temperature ?? 1) !== 1) refuse('`temperature` may only be set to 1 when thinking is enabled.');
  if ((top_p ?? 1) < 0.95) refuse('`top_p` must be greater than or equal to 0.95 when thinking is enabled.');
  if (top_k !== null && top_k !== undefined) refuse('`top_k` must be unset when thinking is enabled.');
  if (tool_choice?.type === 'any' || tool_choice?.type === 'tool') {
    refuse('Thinking may not be enabled when tool_choice forces tool use.');
  }
  if (turnsOf(request).at(-1)?.role === 'assistant') {
    refuse('messages: the final message may not be of the assistant when thinking is enabled.');
  }
}

/** Source: responses quoted in https://github.com/agentjido/req_llm/issues/302. */
const REFUSED_KEYWORDS = ['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'maxItems'];

/** https://docs.claude.com/en/docs/build-with-claude/structured-outputs, "JSON Schema limitations". */
function checkSchema(node: unknown, path: string): void {
  if (typeof node !== 'object' || node === null) return;
  // https://github.com/vercel/ai/issues/12876
  if ('oneOf' in node && Array.isArray(node.oneOf)) refuse(`${path}: Schema type 'oneOf' is not supported`);
  const refused = REFUSED_KEYWORDS.find((keyword) => keyword in node);
  if (refused !== undefined && 'type' in node)
    refuse(`${path}: For '${String(node.type)}' type, property '${refused}' is not supported`);
  if (!Array.isArray(node) && 'type' in node && node.type === 'object') {
    if (!('additionalProperties' in node) || node.additionalProperties !== false) {
      refuse(`${path}: For 'object' type, 'additionalProperties' must be explicitly set to false`);
    }
  }
  for (const [name, child] of Object.entries(node)) checkSchema(child, `${path}.${name}`);
}
