import { type ErrorCode, errorBody, GatewayError, messagesErrorBody } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { ERROR_EXAMPLES } from '../src/error-examples.ts';
import { EXAMPLE_ID, exampleBody } from '../src/error-responses.ts';
import { checkResponse, type ObservedResponse } from '../src/index.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const answer = (over: Partial<ObservedResponse> = {}): ObservedResponse => ({
  method: 'GET',
  route: '/health',
  status: 200,
  contentType: JSON_TYPE,
  body: JSON.stringify({ status: 'ok', service: 'x', version: '1', uptime_seconds: 1 }),
  ...over,
});
const chat = (events: unknown[], ending = 'data: [DONE]\n\n') =>
  answer({
    method: 'POST',
    route: '/v1/chat/completions',
    contentType: 'text/event-stream',
    body: `: keep-alive\n\n${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}${ending}`,
  });
const chunk = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'acme/small',
  choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }],
};
const example = (code: ErrorCode) => exampleBody(ERROR_EXAMPLES[code].error);
const missing = example('model_not_found');

const messages = (events: object[]) =>
  answer({
    method: 'POST',
    route: '/v1/messages',
    contentType: 'text/event-stream',
    body: events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  });
const messagesExample = (code: ErrorCode) => messagesErrorBody(ERROR_EXAMPLES[code].error, EXAMPLE_ID);

describe('an answer of Messages', () => {
  const start = {
    type: 'message_start',
    message: { type: 'message', id: 'msg_1', role: 'assistant', model: 'acme/small', later: 1 },
  };
  const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } };

  it('may have events that only the provider knows, and none that are half known', () => {
    expect(
      checkResponse(messages([start, { type: 'ping' }, delta, { type: 'something_new', value: 1 }])),
    ).toEqual([]);
    expect(checkResponse(messages([{ ...start, message: {} }]))).not.toEqual([]);
    expect(checkResponse(messages([{ type: 'content_block_delta', index: 0 }]))).not.toEqual([]);
    expect(checkResponse(messages([start, { type: 'error' }]))).not.toEqual([]);
  });

  it("ends in an error in Anthropic's form, or in the words of a provider, and never in OpenAI's", () => {
    const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    expect(checkResponse(messages([start, messagesExample('upstream_error')]))).toEqual([]);
    expect(checkResponse(messages([start, overloaded]))).toEqual([]);
    expect(checkResponse(messages([start, example('upstream_error')]))).not.toEqual([]);
  });

  it("with an error has Anthropic's form, and the code that the route documents for the status", () => {
    const refused = (status: number, body: object, route = '/v1/messages') =>
      checkResponse(answer({ method: 'POST', route, status, body: JSON.stringify(body) }));
    expect(refused(401, messagesExample('invalid_api_key'))).toEqual([]);
    expect(refused(402, messagesExample('insufficient_balance'))).toEqual([]);
    expect(refused(401, example('invalid_api_key'))).not.toEqual([]);
    expect(refused(401, messagesExample('invalid_api_key'), '/v1/chat/completions')).not.toEqual([]);
    expect(refused(402, messagesExample('insufficient_balance'), '/v1/messages/count_tokens')).not.toEqual(
      [],
    );
    expect(refused(404, messagesExample('invalid_api_key'))).toEqual([
      'error code invalid_api_key is not documented here',
    ]);
    const theirs = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    for (const status of [400, 413, 422, 429, 529]) expect(refused(status, theirs)).toEqual([]);
    for (const status of [401, 500, 502, 503, 504]) expect(refused(status, theirs)).not.toEqual([]);
  });

  it('to count_tokens has a number', () => {
    const counted = (body: object) =>
      checkResponse(
        answer({ method: 'POST', route: '/v1/messages/count_tokens', body: JSON.stringify(body) }),
      );
    expect(counted({ input_tokens: 12 })).toEqual([]);
    expect(counted({ input_tokens: -1 })).not.toEqual([]);
  });
});

describe('an answer', () => {
  it('as documented has no problems', () => {
    expect(checkResponse(answer())).toEqual([]);
    expect(checkResponse(answer({ method: 'HEAD', body: '' }))).toEqual([]);
    expect(checkResponse(chat([chunk, { ...chunk, provider_field: 1 }]))).toEqual([]);
    expect(checkResponse(chat([chunk, example('upstream_error')], ''))).toEqual([]);
    expect(checkResponse(answer({ body: undefined }))).toEqual([]);
  });

  it('is told what is wrong with it', () => {
    expect(checkResponse(answer({ status: 201 }))).toEqual([expect.stringContaining('respond with 201')]);
    expect(checkResponse(answer({ contentType: 'text/html' }))).toEqual([
      expect.stringContaining('text/html'),
    ]);
    expect(checkResponse(answer({ body: '{' }))).toEqual([expect.stringContaining('cannot be read')]);
    expect(checkResponse(answer({ body: '{"status":"ok"}' }))).toEqual([expect.stringContaining('required')]);
    const extra = { status: 'ok', service: 'x', version: '1', uptime_seconds: 1, extra: 1 };
    expect(checkResponse(answer({ body: JSON.stringify(extra) }))).toEqual([
      expect.stringContaining('additional'),
    ]);
    expect(checkResponse(answer({ headers: new Headers() }))).toEqual(['the header x-request-id is missing']);
    expect(checkResponse(answer({ headers: new Headers({ 'x-request-id': 'req_1' }) }))).toEqual([
      expect.stringContaining('the header x-request-id is "req_1"'),
    ]);
    expect(checkResponse(chat([{ ...chunk, object: 'chat.completion' }]))).not.toEqual([]);
    expect(checkResponse(answer({ method: 'HEAD' }))).toEqual([expect.stringContaining('no')]);
  });

  it('with an error needs a code that the route documents for the status', () => {
    const error = answer({ status: 404, body: JSON.stringify(missing) });
    expect(checkResponse({ ...error, route: '/v1/models/acme/none' })).toEqual([]);
    expect(checkResponse({ ...error, route: '/v1/models' })).toEqual([expect.stringContaining('404')]);
    expect(checkResponse({ ...error, route: '/v1/models/acme/none', status: 401 })).toEqual([
      'error code model_not_found is not documented here',
    ]);
    expect(
      checkResponse(
        answer({
          method: 'POST',
          route: '/v1/rerank',
          status: 402,
          body: JSON.stringify(example('insufficient_balance')),
        }),
      ),
    ).toEqual([]);
  });

  it('that refuses for lack of money has the figures of that error, and no others', () => {
    const figures = {
      needed_usd: '0.012000000',
      available_usd: '0.004000000',
      held_usd: '0.000000000',
      resets_at: null,
    };
    const refused = (details: object) => {
      const options = { details: { ...details } };
      const error = new GatewayError('insufficient_balance', 'Ask for less.', options);
      const body = JSON.stringify(errorBody(error, 'req_0aB1cD2eF3gH4iJ5kL6mN7oP'));
      return checkResponse(answer({ method: 'POST', route: '/v1/chat/completions', status: 402, body }));
    };
    expect(refused(figures)).toEqual([]);
    expect(refused({ ...figures, max_tokens: 10 })).toEqual([]);
    expect(refused({ ...figures, needed_usd: '0.012' })).not.toEqual([]);
    expect(refused({ ...figures, pool: 'x' })).not.toEqual([]);
    expect(refused({})).not.toEqual([]);
  });

  it('for an unknown route or method has the form of every error', () => {
    const body = (code: ErrorCode) => JSON.stringify(example(code));
    expect(checkResponse(answer({ route: '/nothing', status: 404, body: body('not_found') }))).toEqual([]);
    expect(checkResponse(answer({ method: 'PUT', status: 405, body: body('method_not_allowed') }))).toEqual(
      [],
    );
    for (const route of ['/v1/models/..%2Fstatus', '/v1/models/a//b', 'http://other.example/v1/models']) {
      expect(checkResponse(answer({ route, status: 404, body: body('not_found') }))).toEqual([]);
    }
    expect(checkResponse(answer({ route: '/nothing' }))).toEqual(['GET /nothing is not documented']);
  });
});
