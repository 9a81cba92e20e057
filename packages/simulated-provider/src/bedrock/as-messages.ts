import { refuse } from '../errors/provider-error.ts';
import type { ConverseBlock, ConverseRequest, ConverseResultBlock } from './converse-request.ts';

const MAX_TOKENS = 4_096;
const THINKING_TOKENS = 1_024;

/** The same request in Messages, so that both APIs check the same of a conversation and answer the same. */
export function asMessages(request: ConverseRequest, model: string): object {
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
    ...(system === undefined ? {} : { system: marked(system.map(blockOf)) }),
    ...(stopSequences === undefined ? {} : { stop_sequences: stopSequences }),
    ...(temperature === undefined || thinking !== undefined ? {} : { temperature }),
    ...(topP === undefined || thinking !== undefined ? {} : { top_p: topP }),
    ...(toolConfig === undefined ? {} : toolsOf(toolConfig)),
    ...(thinking === undefined ? {} : { thinking }),
    ...(schema === undefined
      ? {}
      : { output_config: { format: { type: 'json_schema', schema: JSON.parse(schema) } } }),
  };
}

/** Some models think as much as their own fields say. */
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

/** A block in Messages, or a mark on the block before it. */
type Written = { block: object } | { mark: object };

function marked(written: readonly Written[]): object[] {
  const blocks: object[] = [];
  for (const one of written) {
    if ('block' in one) blocks.push(one.block);
    else if (blocks.length === 0) refuse('A cachePoint must follow a content block.');
    else blocks.push({ ...blocks.pop(), ...one.mark });
  }
  return blocks;
}

function blockOf(block: ConverseBlock): Written {
  if ('cachePoint' in block) {
    const { ttl } = block.cachePoint;
    return { mark: { cache_control: { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) } } };
  }
  if ('toolUse' in block) {
    const { input, name, toolUseId } = block.toolUse;
    return { block: { type: 'tool_use', id: toolUseId, name, input } };
  }
  if ('toolResult' in block) {
    const { content, status, toolUseId } = block.toolResult;
    const is_error = status === 'error';
    return {
      block: { type: 'tool_result', tool_use_id: toolUseId, content: content.map(resultOf), is_error },
    };
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

function toolsOf({ toolChoice, tools }: NonNullable<ConverseRequest['toolConfig']>): object {
  const declared = tools.map((tool): Written => {
    if ('cachePoint' in tool) return blockOf(tool);
    const { description, inputSchema, name } = tool.toolSpec;
    return { block: { name, description, input_schema: inputSchema.json } };
  });
  return {
    tools: marked(declared),
    ...(toolChoice === undefined ? {} : { tool_choice: choiceOf(toolChoice) }),
  };
}

function choiceOf(choice: NonNullable<NonNullable<ConverseRequest['toolConfig']>['toolChoice']>): object {
  if ('tool' in choice) return { type: 'tool', name: choice.tool.name };
  return { type: 'any' in choice ? 'any' : 'auto' };
}
