import { ChatAnthropic } from '@langchain/anthropic';
import { ContextOverflowError } from '@langchain/core/errors';
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base';
import { type AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { Runnable } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import {
  type ClientKind,
  type ClientRequest,
  type ClientResponse,
  type Connection,
  dataUrl,
  MAX_TOKENS,
  resultOf,
  THINKING_TOKENS,
  type Usage,
} from './client.ts';

interface Model {
  title: string;
  api: ClientKind['api'];
  returnsThoughts: boolean;
  /**
   * True if it adds the output tokens of a stream's first event to those of its last, and ignores the input
   * tokens of the last.
   */
  miscountsStreams?: boolean;
  model(connection: Connection, asked: ClientRequest): ChatOpenAI | ChatAnthropic;
}

const MODELS: readonly Model[] = [
  {
    title: 'LangChain, ChatOpenAI',
    api: 'Chat',
    returnsThoughts: false,
    model: (connection, { thinks }) =>
      new ChatOpenAI({
        ...openai(connection),
        ...(thinks === true ? { modelKwargs: { reasoning_effort: 'low' } } : {}),
      }),
  },
  {
    title: 'LangChain, ChatOpenAI with useResponsesApi',
    api: 'Responses',
    returnsThoughts: true,
    model: (connection, { thinks }) =>
      new ChatOpenAI({
        ...openai(connection),
        useResponsesApi: true,
        zdrEnabled: true,
        ...(thinks === true
          ? {
              modelKwargs: {
                reasoning: { effort: 'low', summary: 'auto' },
                include: ['reasoning.encrypted_content'],
              },
            }
          : {}),
      }),
  },
  {
    title: 'LangChain, ChatAnthropic',
    api: 'Messages',
    returnsThoughts: true,
    miscountsStreams: true,
    model: ({ baseUrl, fetch, model, rawKey }, { thinks }) =>
      new ChatAnthropic({
        model,
        apiKey: rawKey,
        anthropicApiUrl: baseUrl,
        maxTokens: MAX_TOKENS,
        maxRetries: 0,
        clientOptions: { fetch },
        ...(thinks === true ? { thinking: { type: 'enabled', budget_tokens: THINKING_TOKENS } } : {}),
      }),
  },
];

/**
 * By the name of a model it decides whether it may be responses `reasoning`, and takes none here for such a
 * one.
 */
function openai({ baseUrl, fetch, model, rawKey }: Connection) {
  return {
    model,
    apiKey: rawKey,
    maxTokens: MAX_TOKENS,
    maxRetries: 0,
    configuration: { baseURL: `${baseUrl}/v1`, fetch },
  };
}

/** LangChain adds this to the errors of the libraries below it. */
const coded = z.looseObject({ lc_error_code: z.string() });
const withStatus = z.looseObject({ status: z.literal(400) });

export const langchain: readonly ClientKind[] = MODELS.map(
  ({ miscountsStreams = false, model, ...about }) => ({
    ...about,
    isRateLimit: (error) => coded.safeParse(error).data?.lc_error_code === 'MODEL_RATE_LIMIT',
    isRejection: (error) => withStatus.safeParse(error).success || ContextOverflowError.isInstance(error),
    connect: (connection) => ({
      ask: async (asked) =>
        readResponse(
          await answer(model(connection, asked), [questionOf(asked)], asked.stream),
          !(asked.stream && miscountsStreams),
        ),
      async runTools(asked, tools) {
        const bound = model(connection, asked).bindTools(
          tools.map(({ input, name, run }) => tool(run, { name, description: name, schema: input })),
        );
        const messages: BaseMessage[] = [questionOf(asked)];
        const responses: ClientResponse[] = [];
        for (;;) {
          const message = await answer(bound, messages, asked.stream);
          responses.push(readResponse(message, !(asked.stream && miscountsStreams)));
          const { tool_calls = [] } = message;
          if (tool_calls.length === 0) return responses;
          messages.push(message);
          for (const { args, id = '', name } of tool_calls) {
            messages.push(new ToolMessage({ tool_call_id: id, name, content: resultOf(tools, name, args) }));
          }
        }
      },
      async parse(asked, schema) {
        const structured = model(connection, asked).withStructuredOutput(schema, {
          method: 'jsonSchema',
          includeRaw: true,
        });
        const { parsed, raw } = await structured.invoke([questionOf(asked)]);
        return { parsed, usage: usageOf(raw) };
      },
    }),
  }),
);

/** Returns the whole message, or all chunks of a stream put together. */
async function answer(
  model: Runnable<BaseLanguageModelInput, AIMessageChunk>,
  messages: BaseMessage[],
  stream: boolean,
): Promise<AIMessageChunk> {
  if (!stream) return model.invoke(messages);
  let whole: AIMessageChunk | undefined;
  for await (const chunk of await model.stream(messages)) whole = whole?.concat(chunk) ?? chunk;
  if (whole === undefined) throw new Error('the stream was empty');
  return whole;
}

function questionOf({ png, text }: ClientRequest): HumanMessage {
  if (png === undefined) return new HumanMessage(text);
  return new HumanMessage({
    content: [
      { type: 'text', text },
      { type: 'image_url', image_url: { url: dataUrl(png) } },
    ],
  });
}

function readResponse(message: AIMessageChunk, isCounted: boolean): ClientResponse {
  const calls = (message.tool_calls ?? []).map(({ args, name }) => ({ name, input: args }));
  return { text: message.text, calls, usage: isCounted ? usageOf(message) : undefined };
}

const counted = z.looseObject({
  usage_metadata: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }),
});

function usageOf(message: unknown): Usage {
  const { input_tokens, output_tokens } = counted.parse(message).usage_metadata;
  return { input: input_tokens, output: output_tokens };
}
