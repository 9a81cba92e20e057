import { describe, expect, it } from 'vitest';
import { requestIdInHeaders, responseIdIn, responseIdInEvent } from './provider-request-id.ts';

describe("the provider's request id", () => {
  it('is in the header of its API, else in one that is usual', () => {
    const usual = { 'x-request-id': 'b', 'request-id': 'c' };
    expect(requestIdInHeaders({ 'x-amzn-requestid': 'a', ...usual }, 'x-amzn-requestid')).toBe('a');
    expect(requestIdInHeaders({ 'x-amzn-requestid': '', ...usual }, 'x-amzn-requestid')).toBe('b');
    expect(requestIdInHeaders({ 'request-id': 'c' }, 'x-request-id')).toBe('c');
    expect(requestIdInHeaders({ 'x-request-id': 'x'.repeat(300) }, 'x-request-id')).toHaveLength(200);
    expect(requestIdInHeaders({ server: 'a' }, 'x-request-id')).toBeUndefined();
  });

  it.each<[string, object]>([
    ['chatcmpl-1', { id: 'chatcmpl-1', choices: [] }],
    ['msg_1', { type: 'message_start', message: { id: 'msg_1' } }],
    ['resp_1', { type: 'response.created', response: { id: 'resp_1' } }],
    ['gemini-1', { candidates: [], responseId: 'gemini-1' }],
  ])('is %s of the body %j', (id, body) => {
    expect(responseIdIn(body)).toBe(id);
    expect(responseIdInEvent(JSON.stringify(body))).toBe(id);
  });

  it.each([
    undefined,
    null,
    'id',
    7,
    [],
    {},
    { id: 7 },
    { id: 'a b' },
    { id: 'a\0' },
    { id: 'x'.repeat(201) },
  ])('is not in the body %j', (body) => {
    expect(responseIdIn(body)).toBeUndefined();
    expect(responseIdInEvent(JSON.stringify(body))).toBeUndefined();
  });

  it('is not in an event that is no JSON', () => {
    expect(responseIdInEvent('[DONE]')).toBeUndefined();
  });
});
