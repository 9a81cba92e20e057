import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EventStreamCodec } from '@smithy/core/event-streams';
import { expectedSignature } from '../src/protocols/aws-signature.ts';
import { simulatedAwsSecret } from '../src/protocols/bedrock.ts';
import { startSimulatedProvider } from '../src/start-simulated-provider.ts';

/**
 * Records responses of the simulated providers for the tests that replay such (`npm run record-responses`):
 * `*.json` is a whole response, `*.chunks.txt` the JSON of one stream event a line, without its framing.
 */

const FOLDER = join(import.meta.dirname, '../recorded');
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

/** One API: where its requests go, and a body for each name of a recording. */
interface Api {
  folder: string;
  path: { whole: string; streamed: string };
  headers?: Record<string, string>;
  bodies: Record<string, object>;
  /** Members that ask for a stream, where not the path does. */
  stream?: object;
  /** Responses that no stream has. `sign`: with a signature of AWS; `status`: another one than 200. */
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

const APIS: readonly Api[] = [
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

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);

/** Returns the JSON of each event of a stream, one a line. */
async function eventLines(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('application/vnd.amazon.eventstream')) {
    const events = [...(await response.text()).matchAll(/^data: ?(\{.*)$/gm)];
    return events.map(([, data]) => `${data?.trimEnd()}\n`).join('');
  }
  const bytes = Buffer.from(await response.arrayBuffer());
  let lines = '';
  for (let start = 0; start < bytes.length; ) {
    const length = bytes.readUInt32BE(start);
    const { headers, body } = codec.decode(bytes.subarray(start, start + length));
    lines += `{"${headers[':event-type']?.value}":${Buffer.from(body)}}\n`;
    start += length;
  }
  return lines;
}

/** Returns the headers of a request to the agents' runtime of Bedrock, which takes no API keys. */
function signed(origin: string, url: string, body: object): Record<string, string> {
  const now = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const signature = {
    accessKeyId: 'AKIDRECORDER',
    date: now.slice(0, 8),
    region: 'us-west-2',
    service: 'bedrock',
    signedHeaders: ['content-type', 'host', 'x-amz-date'],
    signature: '',
  };
  const headers = { 'content-type': 'application/json', 'x-amz-date': now };
  const { accessKeyId, date, region, service, signedHeaders } = signature;
  const hex = expectedSignature(
    {
      method: 'POST',
      url,
      headers: { ...headers, host: new URL(origin).host },
      body: Buffer.from(JSON.stringify(body)),
    },
    signature,
    simulatedAwsSecret(accessKeyId),
  );
  const scope = `${accessKeyId}/${date}/${region}/${service}/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${signedHeaders.join(';')}, Signature=${hex}`;
  return { ...headers, authorization };
}

async function recordAll(): Promise<void> {
  await using provider = await startSimulatedProvider({ tokenDelayMs: 0 });
  const { origin } = new URL(provider.baseUrl);
  const send = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const write = async (name: string, text: string) => {
    await mkdir(dirname(join(FOLDER, name)), { recursive: true });
    await writeFile(join(FOLDER, name), text);
  };
  await rm(FOLDER, { recursive: true, force: true });
  for (const { bodies, folder, headers, path, stream = {}, wholeOnly = {} } of APIS) {
    for (const isStreamed of [false, true]) {
      // Else the second round would read what the first one has written to the prompt cache.
      provider.clear();
      for (const [name, body] of Object.entries(bodies)) {
        const response = isStreamed
          ? await send(path.streamed, { ...body, ...stream }, headers)
          : await send(path.whole, body, headers);
        if (response.status !== 200) throw new Error(`${folder}/${name}: ${await response.text()}`);
        if (isStreamed) await write(`${folder}/${name}.chunks.txt`, await eventLines(response));
        else await write(`${folder}/${name}.json`, await response.text());
      }
    }
    for (const [name, { body, path: at, sign, status = 200 }] of Object.entries(wholeOnly)) {
      const response = await send(at, body, sign ? signed(origin, at, body) : headers);
      const text = await response.text();
      if (response.status !== status) throw new Error(`${folder}/${name}: ${text}`);
      await write(`${folder}/${name}.json`, text);
    }
  }
}

await recordAll();
