import { describe, expect, it } from 'vitest';
import { createKeyRequest } from '../../wire/keys.ts';
import { usageQuery } from '../../wire/usage.ts';
import { DashboardError } from '../errors/dashboard-error.ts';
import { parseRequest } from './parse-request.ts';

function refusal(work: () => unknown): DashboardError {
  try {
    work();
  } catch (error) {
    if (error instanceof DashboardError) return error;
  }
  throw new Error('the request was accepted');
}

describe('an invalid request', () => {
  it('gets an error that names the wrong field and the problem', () => {
    expect(refusal(() => parseRequest(createKeyRequest, { name: ' ' }))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      param: 'name',
      message: 'Name is missing.',
    });
    expect(refusal(() => parseRequest(usageQuery, { fromMs: '0', toMs: '1', width: 'week' }))).toMatchObject({
      param: 'width',
    });
  });

  it('is refused without a body, or with a repeated parameter', () => {
    expect(refusal(() => parseRequest(createKeyRequest, undefined)).status).toBe(400);
    const twice = { fromMs: '0', toMs: '1', width: 'day', seatId: ['a', 'b'] };
    expect(refusal(() => parseRequest(usageQuery, twice)).param).toBe('seatId');
  });
});
