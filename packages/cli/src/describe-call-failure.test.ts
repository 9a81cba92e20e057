import { GrpcStatus } from '@model-gateway/contracts';
import { describe, expect, it } from 'vitest';
import { type CalledServer, describeCallFailure } from './describe-call-failure.ts';

function failed(code: GrpcStatus, details: string): Error {
  return Object.assign(new Error(`${code}: ${details}`), { code, details });
}

function grpc(...addresses: string[]): CalledServer {
  return { by: 'grpc', addresses };
}

describe('a failed call', () => {
  it('gets the message of the control plane if the request is wrong', () => {
    const error = failed(GrpcStatus.NOT_FOUND, 'there is no key key_1');
    expect(describeCallFailure(error, grpc('a:1'))).toEqual(['there is no key key_1']);
  });

  it('gets one line for every error of a catalog', () => {
    const error = failed(GrpcStatus.INVALID_ARGUMENT, 'models[0].id: bad\n\nmodels[1].tier: bad\n');
    expect(describeCallFailure(error, grpc('a:1'))).toEqual(['models[0].id: bad', 'models[1].tier: bad']);
  });

  it('names every address that was tried, on one line', () => {
    const error = failed(GrpcStatus.UNAVAILABLE, 'No connection established.\n  Last error: ECONNREFUSED');
    const lines = describeCallFailure(error, grpc('a:1', 'b:2'));
    expect(lines).toHaveLength(1);
    expect(lines?.[0]).toMatch(/a:1, b:2 .*ECONNREFUSED/);
  });

  it.each([
    [
      'No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:1. Resolution note: ',
      'no control plane answers at a:1 (connect ECONNREFUSED 127.0.0.1:1): start it',
    ],
    ['No connection established', 'no control plane answers at a:1: start it'],
  ])('gets the reason why no server was reached, without other text of the library: %s', (details, words) => {
    const lines = describeCallFailure(failed(GrpcStatus.UNAVAILABLE, details), grpc('a:1'));
    expect(lines?.[0]?.slice(0, words.length)).toBe(words);
  });

  it('does not advise another address if the control plane has responded', () => {
    const error = failed(GrpcStatus.UNAVAILABLE, 'the database cannot be reached');
    expect(describeCallFailure(error, grpc('a:1'))).toEqual([
      'the control plane at a:1 cannot do this now: the database cannot be reached',
    ]);
  });

  it('with a timeout may or may not have made the change', () => {
    expect(describeCallFailure(failed(GrpcStatus.DEADLINE_EXCEEDED, ''), grpc('a:1'))?.[0]).toMatch(
      /may or may not/,
    );
  });

  it('names a control plane that is older than the command', () => {
    const error = failed(GrpcStatus.UNIMPLEMENTED, 'The server does not implement the method /x');
    expect(describeCallFailure(error, grpc('a:1'))?.[0]).toMatch(/a:1 runs an older release .*: upgrade it$/);
  });

  it('gets a message even if the control plane sent none', () => {
    expect(describeCallFailure(failed(GrpcStatus.INTERNAL, ''), grpc('a:1'))).toEqual([
      'the call failed (INTERNAL)',
    ]);
  });

  it('does not include errors that no call has thrown', () => {
    expect(describeCallFailure(new Error('a bug'), grpc('a:1'))).toBeUndefined();
    expect(
      describeCallFailure(Object.assign(new Error('x'), { code: 'ENOENT' }), grpc('a:1')),
    ).toBeUndefined();
  });
});
