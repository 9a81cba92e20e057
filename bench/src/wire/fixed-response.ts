import { TIME_MARK } from './answer-plan.ts';
import { eventWithTime } from './event-with-time.ts';

/** The model at the provider of Responses, under the same name in the catalog. */
export const RESPONSES_MODEL = 'bench/responses';

const USAGE = {
  input_tokens: 200,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 220,
};
const ITEM = 'msg_bench';
const PART = { item_id: ITEM, output_index: 0, content_index: 0 };

const event = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, ...fields })}\n\n`;

function response(status: string, fields: object) {
  return {
    id: 'resp_bench',
    object: 'response',
    created_at: 1_700_000_000,
    model: RESPONSES_MODEL,
    status,
    output: [],
    usage: null,
    ...fields,
  };
}

function message(status: string, text: string) {
  return {
    id: ITEM,
    type: 'message',
    role: 'assistant',
    status,
    content: text === '' ? [] : [{ type: 'output_text', text, annotations: [] }],
  };
}

/** Events before the first chunk of a streamed response. */
export const RESPONSE_START =
  event('response.created', { response: response('in_progress', {}) }) +
  event('response.output_item.added', { output_index: 0, item: message('in_progress', '') }) +
  event('response.content_part.added', {
    ...PART,
    part: { type: 'output_text', text: '', annotations: [] },
  });

export const textDeltaAt = eventWithTime((time) =>
  event('response.output_text.delta', { ...PART, delta: `${TIME_MARK}${time}${TIME_MARK} words` }),
);

const TEXT = 'The text as a whole.';

/** Events after the last chunk: the end of the item, and the response with its usage. */
export const RESPONSE_END =
  event('response.output_text.done', { ...PART, text: TEXT }) +
  event('response.output_item.done', { output_index: 0, item: message('completed', TEXT) }) +
  event('response.completed', {
    response: response('completed', { output: [message('completed', TEXT)], usage: USAGE }),
  });
