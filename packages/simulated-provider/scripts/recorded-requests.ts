const QUESTION = 'Why is the sky blue?';
const CALL = 'use weather: {"city":"Oslo"}';
const TWO_CALLS = `${CALL}\nalso use weather: {"city":"Rome"}`;
const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const COLOUR = {
  type: 'object',
  properties: { colour: { type: 'string', enum: ['blue'] } },
  required: ['colour'],
  additionalProperties: false,
};

/** An API of a simulated provider: where its requests go, and a body for each name of a recording. */
interface RecordedApi {
  folder: string;
  path: { whole: string; streamed: string };
  headers?: Record<string, string>;
  bodies: Record<string, object>;
  /** Members that ask for a stream, where the path does not. */
  stream?: object;
  /** Responses that are never streamed. `sign`: the request is signed for AWS; `status`: 200 unless given. */
  wholeOnly?: Record<string, { path: string; body: object; sign?: true; status?: number }>;
}

const asks = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const claude = { model: 'sim-claude-pro', max_tokens: 3_000, ...asks(QUESTION) };
const claudeTools = [{ name: 'weather', input_schema: CITY }];
const thinking = { type: 'enabled', budget_tokens: 1_024 };
const cached = { type: 'text', text: 'A long book. '.repeat(100), cache_control: { type: 'ephemeral' } };

const chatTools = [{ type: 'function', function: { name: 'weather', parameters: CITY } }];
const command = { model: 'sim-command-pro', ...asks(QUESTION) };

const says = (text: string) => ({ contents: [{ role: 'user', parts: [{ text }] }] });
const geminiTools = [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: CITY }] }];
const thoughts = { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'low' } } };

const converses = (text: string) => ({ messages: [{ role: 'user', content: [{ text }] }] });
const toolConfig = { tools: [{ toolSpec: { name: 'weather', inputSchema: { json: CITY } } }] };

const responses = { model: 'sim-chat-pro', input: QUESTION };
const responseTools = [{ type: 'function', name: 'weather', parameters: CITY, strict: false }];

export const RECORDED_APIS: readonly RecordedApi[] = [
  {
    folder: 'anthropic',
    path: { whole: '/v1/messages', streamed: '/v1/messages' },
    headers: { 'anthropic-version': '2023-06-01' },
    stream: { stream: true },
    bodies: {
      text: claude,
      'max-tokens': { ...claude, max_tokens: 5 },
      'json-schema': { ...claude, output_config: { format: { type: 'json_schema', schema: COLOUR } } },
      'tool-call': { ...claude, tools: claudeTools, ...asks(CALL) },
      'parallel-tool-calls': { ...claude, tools: claudeTools, ...asks(TWO_CALLS) },
      thinking: { ...claude, thinking },
      'thinking-tool-call': { ...claude, thinking, tools: claudeTools, ...asks(CALL) },
      'cache-write': { ...claude, system: [cached] },
      'cache-read': { ...claude, system: [cached] },
    },
  },
  {
    folder: 'google',
    path: {
      whole: '/v1beta/models/sim-gemini-pro:generateContent',
      streamed: '/v1beta/models/sim-gemini-pro:streamGenerateContent?alt=sse',
    },
    bodies: {
      thoughts: { ...says(QUESTION), ...thoughts },
      'tool-call': { ...says(CALL), ...thoughts, tools: geminiTools },
      'parallel-tool-calls': { ...says(TWO_CALLS), ...thoughts, tools: geminiTools },
    },
    wholeOnly: {
      'rate-limit': {
        path: '/v1beta/models/sim-gemini-pro:generateContent',
        status: 429,
        body: { ...says(QUESTION), simulate: { status: 429, retry_after: 35 } },
      },
    },
  },
  {
    folder: 'amazon-bedrock',
    path: {
      whole: '/model/amazon.nova-2-sim-v1:0/converse',
      streamed: '/model/amazon.nova-2-sim-v1:0/converse-stream',
    },
    headers: { authorization: 'Bearer simulated' },
    bodies: {
      text: converses(QUESTION),
      'tool-call': { ...converses(CALL), toolConfig },
      'parallel-tool-calls': { ...converses(TWO_CALLS), toolConfig },
    },
    wholeOnly: {
      rerank: {
        path: '/rerank',
        sign: true,
        body: {
          queries: [{ type: 'TEXT', textQuery: { text: 'red fruit' } }],
          sources: ['a blue car', 'a red fruit', 'red'].map((text) => ({
            type: 'INLINE',
            inlineDocumentSource: { type: 'TEXT', textDocument: { text } },
          })),
          rerankingConfiguration: {
            type: 'BEDROCK_RERANKING_MODEL',
            bedrockRerankingConfiguration: {
              modelConfiguration: {
                modelArn: 'arn:aws:bedrock:us-west-2::foundation-model/cohere.sim-rerank-v1:0',
              },
            },
          },
        },
      },
    },
  },
  {
    folder: 'cohere',
    path: { whole: '/v2/chat', streamed: '/v2/chat' },
    stream: { stream: true },
    bodies: {
      text: { ...command, stream: false },
      thinking: { ...command, model: 'command-a-reasoning-simulated', stream: false },
      'tool-call': { ...command, ...asks(CALL), tools: chatTools, stream: false },
      'parallel-tool-calls': { ...command, ...asks(TWO_CALLS), tools: chatTools, stream: false },
    },
    wholeOnly: {
      embedding: {
        path: '/v2/embed',
        body: {
          model: 'sim-embed-pro',
          input_type: 'search_document',
          embedding_types: ['float'],
          texts: ['one', 'two'],
        },
      },
      rerank: {
        path: '/v2/rerank',
        body: { model: 'sim-rerank-pro', query: 'red fruit', documents: ['a blue car', 'a red fruit'] },
      },
    },
  },
  {
    folder: 'openai/responses',
    path: { whole: '/v1/responses', streamed: '/v1/responses' },
    stream: { stream: true },
    bodies: {
      text: responses,
      'max-output-tokens': { ...responses, max_output_tokens: 16 },
      'json-schema': {
        ...responses,
        text: { format: { type: 'json_schema', name: 'sky', schema: COLOUR, strict: true } },
      },
      'tool-call': { ...responses, input: CALL, tools: responseTools },
      'parallel-tool-calls': { ...responses, input: TWO_CALLS, tools: responseTools },
      'web-search': {
        ...responses,
        input: 'use web_search: {"query":"glaciers"}',
        tools: [{ type: 'web_search' }],
      },
      'encrypted-reasoning': {
        ...responses,
        store: false,
        include: ['reasoning.encrypted_content'],
        reasoning: { effort: 'low', summary: 'auto' },
      },
    },
  },
];
