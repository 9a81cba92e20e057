import { MODEL, TIME_MARK } from './answer-plan.ts';
import { awsMessage } from './aws-message.ts';

/** The streamed answers of the provider in each API. Chunks differ only in their time. */
export interface StreamedAnswer {
  /** The model in the catalog, and its name at the provider; `apis`: if not those of the provider. */
  model: { id: string; upstream: string; apis?: 'responses'[] };
  /** How the paths of its requests end. */
  at: string;
  contentType?: string;
  /** Events as text, each byte one character. */
  start: string;
  chunkAt: (timeUs: number) => string;
  end: string;
}

export const TIME_DIGITS = 16;
const PLACE = '\u0000';
const [BEFORE_TIME, AFTER_TIME] = [TIME_MARK, `${TIME_MARK} words`];

/** @param event serializes an event with a text that contains the time */
function withTime(event: (text: string) => string): (timeUs: number) => string {
  const [start = '', end = ''] = event(`${BEFORE_TIME}${PLACE}${AFTER_TIME}`).split(
    JSON.stringify(PLACE).slice(1, -1),
  );
  return (timeUs) => `${start}${String(timeUs).padStart(TIME_DIGITS, '0')}${end}`;
}

const typedEvent = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const sameModel = (id: string) => ({ id, upstream: id });

export const CHAT_USAGE = { prompt_tokens: 200, completion_tokens: 20, total_tokens: 220 };

function chatChunk(fields: object): string {
  const shared = {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: MODEL,
  };
  return `data: ${JSON.stringify({ ...shared, ...fields })}\n\n`;
}

const CHAT: StreamedAnswer = {
  model: sameModel(MODEL),
  at: '/chat/completions',
  start: '',
  chunkAt: withTime((content) =>
    chatChunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
  ),
  end: [
    chatChunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    chatChunk({ choices: [], usage: CHAT_USAGE }),
    'data: [DONE]\n\n',
  ].join(''),
};

const MESSAGES: StreamedAnswer = {
  model: sameModel('bench/messages'),
  at: '/messages',
  start:
    typedEvent('message_start', {
      message: {
        id: 'msg_bench',
        type: 'message',
        role: 'assistant',
        model: 'bench/messages',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 200, output_tokens: 1 },
      },
    }) + typedEvent('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  chunkAt: withTime((text) =>
    typedEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
  ),
  end:
    typedEvent('content_block_stop', { index: 0 }) +
    typedEvent('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 20 },
    }) +
    typedEvent('message_stop', {}),
};

const numberedEvent = (type: string, fields: object) => typedEvent(type, { sequence_number: 0, ...fields });
const PART = { item_id: 'msg_bench', output_index: 0, content_index: 0 };
const TEXT = 'The text as a whole.';
const responsesMessage = (status: string, text: string) => ({
  id: 'msg_bench',
  type: 'message',
  role: 'assistant',
  status,
  content: text === '' ? [] : [{ type: 'output_text', text, annotations: [] }],
});
const response = (status: string, fields: object) => ({
  id: 'resp_bench',
  object: 'response',
  created_at: 1_700_000_000,
  model: 'bench/responses',
  status,
  output: [],
  usage: null,
  ...fields,
});

const RESPONSES: StreamedAnswer = {
  model: { ...sameModel('bench/responses'), apis: ['responses'] },
  at: '/responses',
  start:
    numberedEvent('response.created', { response: response('in_progress', {}) }) +
    numberedEvent('response.output_item.added', {
      output_index: 0,
      item: responsesMessage('in_progress', ''),
    }) +
    numberedEvent('response.content_part.added', {
      ...PART,
      part: { type: 'output_text', text: '', annotations: [] },
    }),
  chunkAt: withTime((delta) => numberedEvent('response.output_text.delta', { ...PART, delta })),
  end:
    numberedEvent('response.output_text.done', { ...PART, text: TEXT }) +
    numberedEvent('response.output_item.done', {
      output_index: 0,
      item: responsesMessage('completed', TEXT),
    }) +
    numberedEvent('response.completed', {
      response: response('completed', {
        output: [responsesMessage('completed', TEXT)],
        usage: {
          input_tokens: 200,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 20,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 220,
        },
      }),
    }),
};

const GEMINI_MODEL = { id: 'bench/gemini', upstream: 'gemini-3-bench' };

function geminiChunk(text: string, fields: object): string {
  const candidate = { index: 0, content: { role: 'model', parts: [{ text }] }, ...fields };
  const usageMetadata = { promptTokenCount: 200, candidatesTokenCount: 20, totalTokenCount: 220 };
  const shared = { usageMetadata, modelVersion: GEMINI_MODEL.upstream, responseId: 'bench' };
  return `data: ${JSON.stringify({ candidates: [candidate], ...shared })}\r\n\r\n`;
}

const GEMINI: StreamedAnswer = {
  model: GEMINI_MODEL,
  at: ':streamGenerateContent?alt=sse',
  start: '',
  chunkAt: withTime((text) => geminiChunk(text, {})),
  end: geminiChunk('', { finishReason: 'STOP' }),
};

const cohereContent = (content: object) => ({ index: 0, delta: { message: { content } } });
const COHERE_TOKENS = { input_tokens: 200, output_tokens: 20 };

const COHERE: StreamedAnswer = {
  model: { id: 'bench/cohere', upstream: 'command-bench' },
  at: '/v2/chat',
  start:
    typedEvent('message-start', { id: 'bench', delta: { message: { role: 'assistant', content: [] } } }) +
    typedEvent('content-start', cohereContent({ type: 'text', text: '' })),
  chunkAt: withTime((text) => typedEvent('content-delta', cohereContent({ text }))),
  end:
    typedEvent('content-end', { index: 0 }) +
    typedEvent('message-end', {
      delta: {
        finish_reason: 'COMPLETE',
        usage: { billed_units: COHERE_TOKENS, tokens: COHERE_TOKENS },
      },
    }) +
    'data: [DONE]\n\n',
};

const AWS_EVENTS = { contentType: 'application/vnd.amazon.eventstream' };
const converseJsonAt = withTime((text) => JSON.stringify({ contentBlockIndex: 0, delta: { text } }));

const CONVERSE: StreamedAnswer = {
  ...AWS_EVENTS,
  model: { id: 'bench/converse', upstream: 'amazon.bench-v1:0' },
  at: '/converse-stream',
  start: awsMessage('messageStart', JSON.stringify({ role: 'assistant' })),
  chunkAt: (timeUs) => awsMessage('contentBlockDelta', converseJsonAt(timeUs)),
  end:
    awsMessage('contentBlockStop', JSON.stringify({ contentBlockIndex: 0 })) +
    awsMessage('messageStop', JSON.stringify({ stopReason: 'end_turn' })) +
    awsMessage(
      'metadata',
      JSON.stringify({
        usage: { inputTokens: 200, outputTokens: 20, totalTokens: 220 },
        metrics: { latencyMs: 1 },
      }),
    ),
};

/** Wraps events of Messages, as InvokeModelWithResponseStream does. */
function wrap(events: string): string {
  return [...events.matchAll(/^data: (.*)$/gm)]
    .map(([, data = '']) =>
      awsMessage('chunk', JSON.stringify({ bytes: Buffer.from(data).toString('base64') })),
    )
    .join('');
}

const CLAUDE: StreamedAnswer = {
  ...AWS_EVENTS,
  model: { id: 'bench/claude-at-bedrock', upstream: 'anthropic.bench-v1:0' },
  at: '/invoke-with-response-stream',
  start: wrap(MESSAGES.start),
  chunkAt: (timeUs) => wrap(MESSAGES.chunkAt(timeUs)),
  end: wrap(MESSAGES.end),
};

export const STREAMED_ANSWERS = {
  chat: CHAT,
  messages: MESSAGES,
  responses: RESPONSES,
  gemini: GEMINI,
  cohere: COHERE,
  converse: CONVERSE,
  claude: CLAUDE,
} as const;
