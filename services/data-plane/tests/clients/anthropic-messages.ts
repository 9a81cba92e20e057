import Anthropic, { BadRequestError, RateLimitError } from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { z } from 'zod';
import {
  type ClientKind,
  type ClientRequest,
  type ClientResponse,
  MAX_TOKENS,
  resultOf,
  THINKING_TOKENS,
} from './client.ts';

/** Anthropic's library, `client.messages`. */
export const anthropicMessages: ClientKind = {
  title: "Anthropic's client",
  api: 'Messages',
  returnsThoughts: true,
  isRateLimit: (error) => error instanceof RateLimitError,
  isRejection: (error) => error instanceof BadRequestError,
  connect: ({ baseUrl, fetch, model, rawKey }) => {
    const client = new Anthropic({ baseURL: baseUrl, apiKey: rawKey, maxRetries: 0, fetch });
    const answer = (request: Anthropic.MessageCreateParamsNonStreaming, stream: boolean) =>
      stream ? client.messages.stream(request).finalMessage() : client.messages.create(request);
    return {
      ask: async (asked) => readResponse(await answer(requestOf(model, asked), asked.stream)),
      async runTools(asked, tools) {
        const request = requestOf(model, asked);
        const offered = tools.map(({ input, name }) => ({
          name,
          input_schema: { ...z.toJSONSchema(input), type: 'object' as const },
        }));
        const messages = [...request.messages];
        const responses: ClientResponse[] = [];
        for (;;) {
          const message = await answer({ ...request, messages, tools: offered }, asked.stream);
          responses.push(readResponse(message));
          const calls = message.content.filter((block) => block.type === 'tool_use');
          if (calls.length === 0) return responses;
          messages.push({ role: 'assistant', content: message.content });
          const content = calls.map(({ id, input, name }) => ({
            type: 'tool_result' as const,
            tool_use_id: id,
            content: resultOf(tools, name, input),
          }));
          messages.push({ role: 'user', content });
        }
      },
      async parse(asked, schema) {
        const request = {
          ...requestOf(model, asked),
          output_config: { format: zodOutputFormat(schema) },
        };
        const message = asked.stream
          ? await client.messages.stream(request).finalMessage()
          : await client.messages.parse(request);
        return { parsed: message.parsed_output, usage: readResponse(message).usage };
      },
    };
  },
};

function requestOf(
  model: string,
  { png, text, thinks }: ClientRequest,
): Anthropic.MessageCreateParamsNonStreaming {
  const content: Anthropic.ContentBlockParam[] = [{ type: 'text', text }];
  if (png !== undefined) {
    content.push({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } });
  }
  return {
    model,
    max_tokens: MAX_TOKENS,
    messages: [{ role: 'user', content }],
    ...(thinks === true ? { thinking: { type: 'enabled', budget_tokens: THINKING_TOKENS } } : {}),
  };
}

function readResponse({ content, usage }: Pick<Anthropic.Message, 'content' | 'usage'>): ClientResponse {
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? { name: block.name, input: block.input } : [],
    ),
    usage: {
      input:
        usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
      output: usage.output_tokens,
    },
  };
}
