import OpenAI from 'openai';
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod';
import { toResponseInputItems } from 'openai/lib/responses/ResponseInputItems';
import {
  type ClientKind,
  type ClientRequest,
  type ClientResponse,
  dataUrl,
  MAX_TOKENS,
  resultOf,
} from './client.ts';
import { isOpenAIRateLimit, isOpenAIRejection } from './openai-errors.ts';

/** OpenAI's library, `client.responses`, which sends all of the conversation with each turn. */
export const openaiResponses: ClientKind = {
  title: "OpenAI's client, Responses",
  api: 'Responses',
  returnsThoughts: true,
  isRateLimit: isOpenAIRateLimit,
  isRejection: isOpenAIRejection,
  connect: ({ baseUrl, fetch, model, rawKey }) => {
    const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: rawKey, maxRetries: 0, fetch });
    return {
      async ask(asked) {
        const request = requestOf(model, asked);
        return readResponse(
          asked.stream
            ? await client.responses.stream(request).finalResponse()
            : await client.responses.create(request),
        );
      },
      async runTools(asked, tools) {
        const request = requestOf(model, asked);
        const offered = tools.map(({ input, name }) => zodResponsesFunction({ name, parameters: input }));
        const input = [...request.input];
        const responses: ClientResponse[] = [];
        for (;;) {
          const turn = { ...request, input, tools: offered };
          const response = asked.stream
            ? await client.responses.stream(turn).finalResponse()
            : await client.responses.create(turn);
          const { calls } = readResponse(response);
          responses.push(readResponse(response));
          if (calls.length === 0) return responses;
          input.push(...toResponseInputItems(response.output));
          for (const item of response.output) {
            if (item.type !== 'function_call') continue;
            const output = resultOf(tools, item.name, JSON.parse(item.arguments));
            input.push({ type: 'function_call_output', call_id: item.call_id, output });
          }
        }
      },
      async parse(asked, schema) {
        const request = { ...requestOf(model, asked), text: { format: zodTextFormat(schema, 'answer') } };
        const response = asked.stream
          ? await client.responses.stream(request).finalResponse()
          : await client.responses.parse(request);
        return { parsed: response.output_parsed, usage: readResponse(response).usage };
      },
    };
  },
};

function requestOf(model: string, { png, text, thinks }: ClientRequest) {
  const content: OpenAI.Responses.ResponseInputContent[] = [{ type: 'input_text', text }];
  if (png !== undefined) content.push({ type: 'input_image', image_url: dataUrl(png), detail: 'auto' });
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content }];
  return {
    model,
    store: false,
    max_output_tokens: MAX_TOKENS,
    input,
    ...(thinks === true
      ? {
          reasoning: { effort: 'low' as const, summary: 'auto' as const },
          include: ['reasoning.encrypted_content' as const],
        }
      : {}),
  };
}

function readResponse({ output, output_text, usage }: OpenAI.Responses.Response): ClientResponse {
  return {
    text: output_text,
    calls: output.flatMap((item) =>
      item.type === 'function_call' ? { name: item.name, input: JSON.parse(item.arguments) } : [],
    ),
    usage: { input: usage?.input_tokens ?? 0, output: usage?.output_tokens ?? 0 },
  };
}
