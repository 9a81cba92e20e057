import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  generateText,
  isStepCount,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  Output,
  type StepResult,
  streamText,
  type ToolSet,
  tool,
} from 'ai';
import {
  type ClientKind,
  type ClientRequest,
  type ClientResponse,
  type ClientTool,
  type Connection,
  MAX_TOKENS,
  THINKING_TOKENS,
  type Usage,
} from './client.ts';

type ProviderOptions = NonNullable<Parameters<typeof generateText>[0]['providerOptions']>;

type Step = Pick<StepResult<ToolSet>, 'text' | 'toolCalls' | 'usage'>;

/** A package of the AI SDK for one API. */
interface Package {
  title: string;
  api: ClientKind['api'];
  returnsThoughts: boolean;
  model(connection: Connection): LanguageModel;
  options(asked: ClientRequest): ProviderOptions;
}

const PACKAGES: readonly Package[] = [
  {
    title: 'AI SDK, @ai-sdk/openai-compatible',
    api: 'Chat',
    returnsThoughts: false,
    model: ({ baseUrl, fetch, model, rawKey }) =>
      createOpenAICompatible({
        name: 'gateway',
        baseURL: `${baseUrl}/v1`,
        apiKey: rawKey,
        includeUsage: true,
        supportsStructuredOutputs: true,
        fetch,
      })(model),
    options: ({ thinks }) => (thinks === true ? { gateway: { reasoningEffort: 'low' } } : {}),
  },
  {
    title: 'AI SDK, @ai-sdk/openai',
    api: 'Responses',
    returnsThoughts: true,
    model: ({ baseUrl, fetch, model, rawKey }) =>
      createOpenAI({ baseURL: `${baseUrl}/v1`, apiKey: rawKey, fetch })(model),
    options: ({ thinks }) => {
      // The SDK knows reasoning models by their names, and asks no other model to reason.
      const reasoning = { forceReasoning: true, reasoningEffort: 'low', reasoningSummary: 'auto' };
      const include = ['reasoning.encrypted_content'];
      return { openai: { store: false, ...(thinks === true ? { ...reasoning, include } : {}) } };
    },
  },
  {
    title: 'AI SDK, @ai-sdk/anthropic',
    api: 'Messages',
    returnsThoughts: true,
    model: ({ baseUrl, fetch, model, rawKey }) =>
      createAnthropic({ baseURL: `${baseUrl}/v1`, apiKey: rawKey, fetch })(model),
    options: ({ thinks }) =>
      thinks === true ? { anthropic: { thinking: { type: 'enabled', budgetTokens: THINKING_TOKENS } } } : {},
  },
];

export const aiSdk: readonly ClientKind[] = PACKAGES.map(({ model, options, ...about }) => ({
  ...about,
  isRateLimit: (error) => APICallError.isInstance(error) && error.statusCode === 429 && error.isRetryable,
  isRejection: (error) => APICallError.isInstance(error) && error.statusCode === 400 && !error.isRetryable,
  connect: (connection) => {
    const request = (asked: ClientRequest) => ({
      model: model(connection),
      messages: [questionOf(asked)],
      maxOutputTokens: MAX_TOKENS,
      maxRetries: 0,
      providerOptions: options(asked),
    });
    const answer = async (asked: ClientRequest, tools: readonly ClientTool[]): Promise<ClientResponse[]> => {
      const offered = Object.fromEntries(tools.map((one) => [one.name, executable(one)]));
      const all = { ...request(asked), tools: offered, stopWhen: isStepCount(5) };
      if (!asked.stream) return (await generateText(all)).steps.map(readResponse);
      // Only onError gets the cause of a failed stream: `steps` has the steps before it, or rejects without
      // it.
      const failures: unknown[] = [];
      const { steps } = streamText({ ...all, onError: ({ error }) => void failures.push(error) });
      const responses = await steps.then(
        (done) => done.map(readResponse),
        () => [],
      );
      if (failures.length > 0) throw failures[0];
      return responses;
    };
    return {
      async ask(asked) {
        const [response] = await answer(asked, []);
        if (response === undefined) throw new Error('there was no step');
        return response;
      },
      runTools: answer,
      async parse(asked, schema) {
        const all = { ...request(asked), output: Output.object({ schema }) };
        const { output, usage } = asked.stream ? streamText(all) : await generateText(all);
        return { parsed: await output, usage: usageOf(await usage) };
      },
    };
  },
}));

function questionOf({ png, text }: ClientRequest): ModelMessage {
  if (png === undefined) return { role: 'user', content: text };
  return {
    role: 'user',
    content: [
      { type: 'text', text },
      { type: 'image', image: png, mediaType: 'image/png' },
    ],
  };
}

function readResponse({ text, toolCalls, usage }: Step): ClientResponse {
  const calls = toolCalls.map(({ input, toolName }) => ({ name: toolName, input }));
  return { text, calls, usage: usageOf(usage) };
}

function usageOf({ inputTokens = 0, outputTokens = 0 }: LanguageModelUsage): Usage {
  return { input: inputTokens, output: outputTokens };
}

function executable({ input, run }: ClientTool) {
  return tool({ inputSchema: input, execute: async (given: unknown) => run(given) });
}
