import { describe, expect, it } from 'vitest';
import { errorBody } from './error-body.ts';
import { GatewayError } from './gateway-error.ts';

describe('the error envelope', () => {
  it('has the details of an error after the standard members', () => {
    const error = new GatewayError('insufficient_balance', 'Too little.', {
      details: { needed_usd: '0.000000002', resets_at: null },
    });
    expect(Object.entries(errorBody(error, 'req_1').error)).toEqual([
      ['message', 'Too little.'],
      ['type', 'insufficient_balance'],
      ['code', 'insufficient_balance'],
      ['param', null],
      ['request_id', 'req_1'],
      ['needed_usd', '0.000000002'],
      ['resets_at', null],
    ]);
  });

  it('never lets a detail overwrite a standard member', () => {
    const details = { message: 'x', type: 'x', code: 'x', param: 'x', request_id: 'x' };
    const { error } = errorBody(new GatewayError('internal_error', 'It failed.', { details }), 'req_1');
    expect(error).toEqual({
      message: 'It failed.',
      type: 'server_error',
      code: 'internal_error',
      param: null,
      request_id: 'req_1',
    });
  });

  it('repeats no raw key', () => {
    const error = new GatewayError('model_not_found', 'There is no model "gw_live_abc123".');
    expect(errorBody(error, 'req_1').error.message).toBe('There is no model "gw_live_[redacted]".');
  });
});
