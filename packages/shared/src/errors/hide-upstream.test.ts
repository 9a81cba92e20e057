import { describe, expect, it } from 'vitest';
import { hideUpstream, hideUpstreams } from './hide-upstream.ts';
import {
  asProviderReported,
  asProviderSaid,
  badGateway,
  contextTooLong,
  providerRejected,
} from './provider-errors.ts';
import { responseOfAnotherProvider, responseProviderGone } from './response-errors.ts';
import type { Verdict } from './verdict.ts';

const verdict: Verdict = { blame: 'request', next: [], outcome: 'rejected', health: 'completed' };

describe('an error without its upstream', () => {
  it('keeps code and status, but neither the words nor the body of the provider', () => {
    const said = asProviderSaid(providerRejected(413, 'OpenAI: too large'), {
      status: 413,
      body: '{"error":"OpenAI"}',
    });
    said.verdict = verdict;
    const hidden = hideUpstream(said);
    expect(hidden).toMatchObject({
      code: 'upstream_rejected',
      status: 413,
      providersBody: undefined,
      verdict,
    });
    expect(hidden.message).toBe('The model provider rejected the request.');
  });

  it('keeps no words of an error within a stream, whose verdict is that of its code', () => {
    const reported = asProviderReported(badGateway(), { caller: 'reported an error: ask OpenAI' });
    expect(hideUpstream(reported).message).not.toContain('OpenAI');
  });

  it('is the same if the gateway itself says what is wrong', () => {
    const own = contextTooLong('The conversation has 9000 tokens; the model reads 8000.');
    expect(hideUpstream(own)).toBe(own);
  });

  it('does not name the provider that stores a response', () => {
    for (const error of [
      responseProviderGone('openai', 'response_id'),
      responseOfAnotherProvider('a/b', 'openai', 'a/c'),
    ]) {
      expect(hideUpstream(error).message).not.toContain('openai');
      expect(hideUpstream(error)).toMatchObject({ code: error.code, param: error.param });
    }
  });
});

it('attempts without their upstreams are numbered by provider, and lose its words', () => {
  const error = 'answered 500: acme is down';
  const attempts = ['openai', 'azure', 'openai'].map((provider) => ({ provider, status: 500, error }));
  expect(hideUpstreams(attempts)).toEqual([
    { provider: 'upstream-1', status: 500, error: null },
    { provider: 'upstream-2', status: 500, error: null },
    { provider: 'upstream-1', status: 500, error: null },
  ]);
});
