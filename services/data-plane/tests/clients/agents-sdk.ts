import {
  Agent,
  type AgentInputItem,
  tool as agentTool,
  type ModelResponse,
  OpenAIProvider,
  Runner,
} from '@openai/agents';
import OpenAI from 'openai';
import type { z } from 'zod';
import { type ClientKind, type ClientRequest, type ClientResponse, dataUrl, MAX_TOKENS } from './client.ts';
import { isOpenAIRateLimit, isOpenAIRejection } from './openai-errors.ts';

/** OpenAI's Agents SDK, at each of its two APIs. Its tools are strict unless told otherwise. */
export const agentsSdk: readonly ClientKind[] = (['Chat', 'Responses'] as const).map((api) => ({
  title: `OpenAI's Agents SDK, ${api}`,
  api,
  returnsThoughts: api === 'Responses',
  isRateLimit: isOpenAIRateLimit,
  isRejection: isOpenAIRejection,
  connect: ({ baseUrl, fetch, model, rawKey }) => {
    const openAIClient = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: rawKey, maxRetries: 0, fetch });
    const modelProvider = new OpenAIProvider({ openAIClient, useResponses: api === 'Responses' });
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    const about = ({ thinks }: ClientRequest) => ({
      name: 'Assistant',
      model,
      modelSettings: {
        maxTokens: MAX_TOKENS,
        store: false,
        ...(thinks === true ? { reasoning: { effort: 'low' as const, summary: 'auto' as const } } : {}),
        ...(thinks === true && api === 'Responses'
          ? { providerData: { include: ['reasoning.encrypted_content'] } }
          : {}),
      },
    });
    const run = async (agent: Agent, asked: ClientRequest): Promise<ClientResponse[]> =>
      (await responsesOf(runner, agent, asked)).responses.map(readResponse);
    return {
      async ask(asked) {
        const [response] = await run(new Agent(about(asked)), asked);
        if (response === undefined) throw new Error('there was no response');
        return response;
      },
      runTools(asked, tools) {
        const offered = tools.map(({ input, name, run: execute }) =>
          agentTool({ name, description: name, parameters: input, execute: async (given) => execute(given) }),
        );
        return run(new Agent({ ...about(asked), tools: offered }), asked);
      },
      async parse(asked, schema) {
        const agent = new Agent<unknown, z.ZodObject>({ ...about(asked), outputType: schema });
        const { output, responses } = await responsesOf(runner, agent, asked);
        return { parsed: output, usage: responses.map(readResponse).at(-1)?.usage };
      },
    };
  },
}));

async function responsesOf<Output extends 'text' | z.ZodObject>(
  runner: Runner,
  agent: Agent<unknown, Output>,
  asked: ClientRequest,
): Promise<{ output: unknown; responses: ModelResponse[] }> {
  const input = [questionOf(asked)];
  if (!asked.stream) {
    const { finalOutput, rawResponses } = await runner.run(agent, input);
    return { output: finalOutput, responses: rawResponses };
  }
  const streamed = await runner.run(agent, input, { stream: true });
  for await (const _event of streamed);
  await streamed.completed;
  return { output: streamed.finalOutput, responses: streamed.rawResponses };
}

function questionOf({ png, text }: ClientRequest): AgentInputItem {
  return {
    role: 'user',
    content: [
      { type: 'input_text', text },
      ...(png === undefined ? [] : [{ type: 'input_image' as const, image: dataUrl(png) }]),
    ],
  };
}

function readResponse({ output, usage }: ModelResponse): ClientResponse {
  return {
    text: output
      .flatMap((item) => (item.type === 'message' && item.role === 'assistant' ? item.content : []))
      .map((part) => (part.type === 'output_text' ? part.text : ''))
      .join(''),
    calls: output.flatMap((item) =>
      item.type === 'function_call' ? { name: item.name, input: JSON.parse(item.arguments) } : [],
    ),
    usage: { input: usage.inputTokens, output: usage.outputTokens },
  };
}
