/** The request and the expected response of each case that Open Responses publishes, in our own words. */
export interface OpenResponsesCase {
  /** The name under which the case is published. */
  id: string;
  /** The request but for `model` and `stream`. */
  request: Readonly<Record<string, unknown>>;
  /** Kind of item that the output must have; without it the response must be complete, with a message. */
  output?: 'function_call';
}

const user = (content: unknown) => ({ type: 'message', role: 'user', content });
const assistant = (content: string, more: object = {}) => {
  return { type: 'message', role: 'assistant', content, ...more };
};

/** Eight times eight red pixels. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC';

const FORECAST = {
  type: 'function',
  name: 'get_forecast',
  description: 'Tells tomorrow’s weather of a place.',
  parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
};

export const CASES: readonly OpenResponsesCase[] = [
  { id: 'basic-response', request: { input: [user('Greet me with three words.')] } },
  {
    id: 'assistant-phase',
    request: {
      input: [
        assistant('First I look up the number.', { phase: 'commentary' }),
        assistant('It is seven.', { phase: 'final_answer' }),
        user('Say the number again, and nothing else.'),
      ],
    },
  },
  { id: 'streaming-response', request: { input: [user('List the numbers from one to five.')] } },
  {
    id: 'system-prompt',
    request: {
      input: [
        { type: 'message', role: 'system', content: 'You answer like an old sailor.' },
        user('Greet me.'),
      ],
    },
  },
  {
    id: 'tool-calling',
    // The simulated provider calls a tool that need not be called where the user's words mark it.
    request: {
      input: [user('How will the weather be in Oslo?\nuse get_forecast: {"place":"Oslo"}')],
      tools: [FORECAST],
    },
    output: 'function_call',
  },
  {
    id: 'image-input',
    request: {
      input: [
        user([
          { type: 'input_text', text: 'Describe the picture with one sentence.' },
          { type: 'input_image', image_url: PICTURE },
        ]),
      ],
    },
  },
  {
    id: 'multi-turn',
    request: {
      input: [
        user('I am called Berta.'),
        assistant('Good morning, Berta. What can I do for you?'),
        user('How am I called?'),
      ],
    },
  },
];

const NO_WEB_SOCKETS = 'the gateway answers over HTTP alone (docs/wire-format.md)';
const NOT_EVERY_MODEL =
  'only models whose provider has the Responses API can compact (docs/responses-api.md)';

/** Published cases that are not run, and why. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'response-output-phase-schema': 'it sends no request: it compares a text of its own with the schema',
  'websocket-response': NO_WEB_SOCKETS,
  'websocket-sequential-responses': NO_WEB_SOCKETS,
  'websocket-continuation': NO_WEB_SOCKETS,
  'websocket-reconnect-store-false-recovery': NO_WEB_SOCKETS,
  'websocket-previous-response-not-found': NO_WEB_SOCKETS,
  'websocket-failed-continuation-evicts-cache': NO_WEB_SOCKETS,
  'websocket-compact-new-chain': NO_WEB_SOCKETS,
  'compact-response': NOT_EVERY_MODEL,
  'compact-missing-model': NOT_EVERY_MODEL,
};

/** Further requests, whose responses have events that no published case brings about. */
export const FURTHER_CASES: readonly OpenResponsesCase[] = [
  {
    id: 'two calls at once',
    request: {
      input: [user('use get_forecast: {"place":"Oslo"}\nalso use get_forecast: {"place":"Rome"}')],
      tools: [FORECAST],
    },
    output: 'function_call',
  },
  {
    id: 'the results of two calls',
    request: {
      input: [
        user('How will the weather be?'),
        { type: 'function_call', call_id: 'call_1', name: 'get_forecast', arguments: '{"place":"Oslo"}' },
        { type: 'function_call', call_id: 'call_2', name: 'get_forecast', arguments: '{"place":"Rome"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
        { type: 'function_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'sun' }] },
      ],
      tools: [FORECAST],
    },
  },
  {
    id: 'reasoning',
    request: {
      input: 'Why is the sky blue?',
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
    },
  },
  {
    id: 'every member that an answer repeats',
    request: {
      input: 'Why is the sky blue?',
      instructions: 'Be brief.',
      max_output_tokens: 500,
      metadata: { ticket: '17' },
      parallel_tool_calls: false,
      prompt_cache_key: 'a',
      safety_identifier: 'b',
      store: false,
      temperature: 0.5,
      text: { format: { type: 'text' } },
      tool_choice: 'none',
      tools: [FORECAST],
      top_p: 0.9,
      truncation: 'disabled',
    },
  },
];
