import { refuse } from '../errors/provider-error.ts';
import type { ConverseBlock, ConverseRequest, ConverseResultBlock } from './converse-request.ts';

const MAX_TOKENS = 4_096;
const THINKING_TOKENS = 1_024;

/** Converts to a Messages request, so that both APIs check conversations and answer alike. */
export function convertToMessages(request: ConverseRequest, model: string): object {
  const { inferenceConfig = {}, messages, outputConfig, system, toolConfig } = request;
  const { maxTokens = MAX_TOKENS, stopSequences, temperature, topP } = inferenceConfig;
  checkDocuments(request);
  checkEffort(request);
  if (toolConfig === undefined && messages.some(({ content }) => content.some((block) => 'toolUse' in block)))
    refuse('The toolConfig field must be defined when using toolUse and toolResult content blocks.');
  const thinking = isThinking(request) ? { type: 'enabled', budget_tokens: THINKING_TOKENS } : undefined;
  const schema = outputConfig?.textFormat.structure.jsonSchema.schema;
  return {
    model,
    max_tokens: thinking === undefined ? maxTokens : Math.max(maxTokens, THINKING_TOKENS + 1),
    messages: messages.map(({ content, role }) => ({ role, content: marked(content.map(blockOf)) })),
    system: system && marked(system.map(blockOf)),
    stop_sequences: stopSequences,
    temperature: thinking === undefined ? temperature : undefined,
    top_p: thinking === undefined ? topP : undefined,
    tools: toolConfig && marked(toolConfig.tools.map(toolOf)),
    tool_choice: toolConfig?.toolChoice && choiceOf(toolConfig.toolChoice),
    thinking,
    output_config: schema && { format: { type: 'json_schema', schema: JSON.parse(schema) } },
  };
}

/** Models think if their own fields ask for it. */
function isThinking({ additionalModelRequestFields: fields = {}, toolConfig }: ConverseRequest): boolean {
  const isForced = toolConfig?.toolChoice !== undefined && !('auto' in toolConfig.toolChoice);
  return !isForced && ('reasoningConfig' in fields || 'reasoning_effort' in fields);
}

/** Source: user guide of Amazon Nova 2, "Extended thinking". */
function checkEffort({ additionalModelRequestFields, inferenceConfig }: ConverseRequest): void {
  const isHigh = JSON.stringify(additionalModelRequestFields ?? {}).includes('"maxReasoningEffort":"high"');
  if (isHigh && inferenceConfig?.maxTokens !== undefined)
    refuse('maxTokens cannot be set when maxReasoningEffort is high.');
}

function checkDocuments({ messages }: ConverseRequest): void {
  for (const { content } of messages) {
    const hasDocument = content.some((block) => 'document' in block);
    if (hasDocument && !content.some((block) => 'text' in block))
      refuse('Include a text block along with document in the message.');
  }
}

/** A block of Messages, or a mark for the block before it. */
type Converted = { block: object } | { mark: object };

function marked(converted: readonly Converted[]): object[] {
  const blocks: object[] = [];
  for (const one of converted) {
    if ('block' in one) blocks.push(one.block);
    else if (blocks.length === 0) refuse('A cachePoint must follow a content block.');
    else blocks.push({ ...blocks.pop(), ...one.mark });
  }
  return blocks;
}

function blockOf(block: ConverseBlock): Converted {
  if ('cachePoint' in block) {
    return { mark: { cache_control: { type: 'ephemeral', ttl: block.cachePoint.ttl } } };
  }
  if ('toolUse' in block) {
    const { input, name, toolUseId } = block.toolUse;
    return { block: { type: 'tool_use', id: toolUseId, name, input } };
  }
  if ('toolResult' in block) {
    const { content, status, toolUseId } = block.toolResult;
    const result = { content: content.map(resultOf), is_error: status === 'error' };
    return { block: { type: 'tool_result', tool_use_id: toolUseId, ...result } };
  }
  if ('reasoningContent' in block) return { block: reasoning(block.reasoningContent) };
  return { block: resultOf(block) };
}

function reasoning(
  content: Extract<ConverseBlock, { reasoningContent: unknown }>['reasoningContent'],
): object {
  if ('redactedContent' in content) return { type: 'redacted_thinking', data: content.redactedContent };
  const { signature = '', text } = content.reasoningText;
  return { type: 'thinking', thinking: text, signature };
}

function resultOf(block: ConverseResultBlock): object {
  if ('text' in block) return { type: 'text', text: block.text };
  if ('json' in block) return { type: 'text', text: JSON.stringify(block.json) };
  if ('image' in block) {
    const { format, source } = block.image;
    return { type: 'image', source: { type: 'base64', media_type: `image/${format}`, data: source.bytes } };
  }
  const { format, name, source } = block.document;
  if (format === 'pdf') {
    const data = { type: 'base64', media_type: 'application/pdf', data: source.bytes };
    return { type: 'document', title: name, source: data };
  }
  const data = Buffer.from(source.bytes, 'base64').toString();
  return { type: 'document', title: name, source: { type: 'text', media_type: 'text/plain', data } };
}

type ToolConfig = NonNullable<ConverseRequest['toolConfig']>;

function toolOf(tool: ToolConfig['tools'][number]): Converted {
  if ('cachePoint' in tool) return blockOf(tool);
  const { description, inputSchema, name } = tool.toolSpec;
  return { block: { name, description, input_schema: inputSchema.json } };
}

function choiceOf(choice: NonNullable<ToolConfig['toolChoice']>): object {
  if ('tool' in choice) return { type: 'tool', name: choice.tool.name };
  return { type: 'any' in choice ? 'any' : 'auto' };
}
