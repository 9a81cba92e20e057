import OpenAI from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import {
  type ClientKind,
  type ClientRequest,
  type ClientResponse,
  type ClientTool,
  dataUrl,
  MAX_TOKENS,
} from './client.ts';
import { isOpenAIRateLimit, isOpenAIRejection } from './openai-errors.ts';

/** OpenAI's library, `client.chat.completions`. */
export const openaiChat: ClientKind = {
  title: "OpenAI's client, Chat Completions",
  api: 'Chat',
  returnsThoughts: false,
  isRateLimit: isOpenAIRateLimit,
  isRejection: isOpenAIRejection,
  connect: ({ baseUrl, fetch, model, rawKey }) => {
    const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: rawKey, maxRetries: 0, fetch });
    const options = { stream_options: { include_usage: true } };
    return {
      async ask(asked) {
        const request = requestOf(model, asked);
        return readResponse(
          asked.stream
            ? await client.chat.completions.stream({ ...request, ...options }).finalChatCompletion()
            : await client.chat.completions.create(request),
        );
      },
      async runTools(asked, tools) {
        const request = { ...requestOf(model, asked), tools: tools.map(runnable) };
        const runner = asked.stream
          ? client.chat.completions.runTools({ ...request, ...options, stream: true })
          : client.chat.completions.runTools(request);
        await runner.done();
        return runner.allChatCompletions().map(readResponse);
      },
      async parse(asked, schema) {
        const request = { ...requestOf(model, asked), response_format: zodResponseFormat(schema, 'answer') };
        const completion = asked.stream
          ? await client.chat.completions.stream({ ...request, ...options }).finalChatCompletion()
          : await client.chat.completions.parse(request);
        return { parsed: completion.choices[0]?.message.parsed, usage: readResponse(completion).usage };
      },
    };
  },
};

function requestOf(model: string, { png, text, thinks }: ClientRequest) {
  const content: OpenAI.ChatCompletionContentPart[] = [{ type: 'text', text }];
  if (png !== undefined) content.push({ type: 'image_url', image_url: { url: dataUrl(png) } });
  return {
    model,
    max_completion_tokens: MAX_TOKENS,
    messages: [{ role: 'user' as const, content }],
    ...(thinks === true ? { reasoning_effort: 'low' as const } : {}),
  };
}

function runnable({ input, name, run }: ClientTool) {
  return zodFunction({ name, parameters: input, function: run });
}

function readResponse({ choices, usage }: OpenAI.ChatCompletion): ClientResponse {
  const message = choices[0]?.message;
  return {
    text: message?.content ?? '',
    calls: (message?.tool_calls ?? []).flatMap((call) =>
      call.type === 'function'
        ? { name: call.function.name, input: z.json().parse(JSON.parse(call.function.arguments)) }
        : [],
    ),
    usage: { input: usage?.prompt_tokens ?? 0, output: usage?.completion_tokens ?? 0 },
  };
}
