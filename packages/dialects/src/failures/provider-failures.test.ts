import type { GatewayError, Verdict } from '@model-gateway/shared';
import {
  answerTakesTooLong,
  asProviderSaid,
  badGateway,
  invalidField,
  modelUnavailable,
  notKeptByProvider,
  previousResponseNotFound,
  providerLimits,
  requestLimitReached,
  withRetryAfter,
} from '@model-gateway/shared/errors';
import { describe, expect, it } from 'vitest';
import { connectionFailure } from './connection-failure.ts';
import {
  causedByRequest,
  credentialExpired,
  credentialNotFetched,
  errorForResponse,
  notCounted,
  rateLimitedInStream,
  responseTooLong,
  unexpectedJson,
  upstreamTimeout,
} from './provider-failures.ts';
import { VERDICTS, verdictOf } from './verdicts.ts';

function answered(status: number, reason?: string, more: { isAccessRefused?: boolean } = {}): GatewayError {
  const bodyText = reason === undefined ? '' : JSON.stringify({ error: { message: reason } });
  const answer = { status, retryAfter: undefined, bodyText, bodyForCaller: undefined };
  const askedAs = { providerId: 'acme', credentialEnv: 'ACME_KEY' };
  return errorForResponse({ ...answer, ...more }, askedAs, (text) => text);
}

/** The same for a caller of the provider's own API, who gets its body. */
function answeredInItsWords(status: number, message: string): GatewayError {
  const body = JSON.stringify({ error: { message } });
  const answer = { status, retryAfter: '7', bodyText: body, bodyForCaller: body };
  return errorForResponse(answer, { providerId: 'acme', credentialEnv: undefined }, (text) => text);
}

const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
const untrusted = Object.assign(new Error('untrusted'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
/** Nothing that the caller sent matters then. */
const NOT_SENT = { isSent: false, hasResponded: false, mayBeRequest: true };
const unreachable = Object.assign(new Error('slow'), { code: 'UND_ERR_CONNECT_TIMEOUT' });

/** At least one way to each kind of failure that a provider takes part in. */
const FAILURES: [string, keyof typeof VERDICTS, GatewayError][] = [
  ['a connection that is refused', 'not_connected', connectionFailure(refused, NOT_SENT)],
  ['a TLS certificate that is not trusted', 'not_connected', connectionFailure(untrusted, NOT_SENT)],
  [
    'a connection that breaks before the answer',
    'connection_failed',
    connectionFailure(reset, { isSent: true, hasResponded: false, mayBeRequest: false }),
  ],
  [
    'a connection that breaks under a large request',
    'connection_failed_slow_request',
    connectionFailure(reset, { isSent: true, hasResponded: false, mayBeRequest: true }),
  ],
  ['a connection that is not made in time', 'connect_timed_out', connectionFailure(unreachable, NOT_SENT)],
  ['silence', 'timed_out', upstreamTimeout('the answer', 1)],
  ['an answer that took too long', 'answer_too_long', responseTooLong(1)],
  [
    'a connection that breaks within an answer',
    'provider_failed',
    connectionFailure(reset, { isSent: true, hasResponded: true, mayBeRequest: false }),
  ],
  [
    'a connection that breaks within an answer to a slow caller',
    'caused_by_request',
    connectionFailure(reset, { isSent: true, hasResponded: true, mayBeRequest: true }),
  ],
  ['an event that is none', 'provider_failed', badGateway(new Error('it is no event'))],
  ['a 500', 'provider_failed', answered(500)],
  ['a 201', 'provider_failed', answered(201)],
  ['a 302', 'caused_by_request', answered(302)],
  ['a 402', 'caused_by_request', answered(402)],
  ['a 404', 'model_not_served', answered(404)],
  ['a 404 about the model', 'model_not_served', answered(404, 'models/x is not found for generateContent')],
  ['a 404 about a file', 'caused_by_request', answered(404, 'No such File object: file-1')],
  ['a 408', 'caused_by_request', answered(408)],
  ['an error event about the request', 'caused_by_request', causedByRequest('invalid_request_error')],
  ['JSON that is no answer', 'caused_by_request', unexpectedJson(new Error('it has no choices'))],
  ['a count that the provider does not make', 'not_counted', notCounted(403)],
  ['a 429', 'limited', answered(429)],
  ['a limit within a stream', 'limited', rateLimitedInStream('rate_limit_error', 3)],
  ['a 401', 'credential_refused', answered(401)],
  ['a 403', 'credential_refused_for_model', answered(403, 'You have no access to this model.')],
  [
    'a 400 about the credential',
    'credential_refused_in_body',
    answered(400, undefined, { isAccessRefused: true }),
  ],
  ['a 403 of a content filter', 'caused_by_request', answered(403, 'Your input was flagged as harmful.')],
  ['a token server that is away', 'credential_not_fetched', credentialNotFetched(new Error('ECONNREFUSED'))],
  ['a token that has expired', 'credential_expired', credentialExpired(401)],
  ['a 413', 'too_large', answered(413)],
  ['a 413 about the context', 'context_too_long', answered(413, 'prompt is too long')],
  ['a 400', 'rejected', answered(400, 'temperature: must be at most 2')],
  ['a 422', 'rejected', answered(422, 'messages: roles must alternate')],
  ['an item that is not kept', 'not_found', notKeptByProvider()],
  ['a response that is not kept', 'previous_response_not_found', previousResponseNotFound('resp_1')],
  ['a field that its API lacks', 'field_not_supported', invalidField('logprobs', 'is not there')],
  ['a model without providers', 'model_unavailable', modelUnavailable('acme/small')],
];

/** How providers say so. Source: their documentation, and issues of agents that quote them. */
const TEXTS = {
  context_too_long: [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    'prompt is too long: 210000 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
    'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
    'Input is too long for requested model.',
    'too many tokens: total number of tokens in the prompt cannot exceed 4081',
    'Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  ],
  foreign_reasoning: [
    'messages.1.content.0: Invalid `signature` in `thinking` block',
    'messages.1.content.0: Invalid `data` in `redacted_thinking` block',
    'The encrypted content for item rs_1 could not be verified. Reason: it could not be decrypted or parsed.',
    'Thought signature is not valid.',
    'Function call is missing a thought_signature in functionCall parts.',
  ],
  no_such_model: ['The provided model identifier is invalid.', 'The model `x` has been decommissioned.'],
} as const;

describe('what a failure means', () => {
  it.each(FAILURES)('%s has the right verdict: %s', (_what, kind, failure) => {
    expect(verdictOf(failure)).toBe(VERDICTS[kind]);
    expect(failure.code).toBe(VERDICTS[kind].code);
  });

  it.each([
    ['ECONNREFUSED', 'address.'],
    ['ENOTFOUND', 'address.'],
    ['CERT_HAS_EXPIRED', 'address and certificate.'],
    ['EAI_AGAIN', undefined],
    ['ECONNRESET', undefined],
  ])('the advice after %s is for the operator if it seldom passes by itself', (code, toCheck) => {
    const thrown = Object.assign(new Error('to host.internal'), { code });
    const { message, status, headers } = connectionFailure(thrown, NOT_SENT);
    const advice =
      toCheck === undefined
        ? /\)\. Retry the request\.$/
        : / Retrying seldom helps: the gateway's operator must check the provider's ([\w ]+\.)$/;
    expect(message).toMatch(advice);
    expect(advice.exec(message)?.[1]).toBe(toCheck);
    expect(message).not.toContain('host.internal');
    expect([status, headers]).toEqual([502, {}]);
  });

  it('the meaning of every documented kind of failure is known', () => {
    const documented = Object.entries(VERDICTS).flatMap(([kind, { when }]) =>
      when === undefined ? [] : kind,
    );
    const seen = new Set([...FAILURES.map(([, kind]) => kind), ...Object.keys(TEXTS)]);
    expect([...seen].sort()).toEqual(documented.sort());
  });

  it.each(Object.entries(TEXTS).flatMap(([kind, texts]) => texts.map((text) => [kind, text] as const)))(
    'a failure is %s where a provider says: %s',
    (kind, text) => {
      const verdict = Object.entries(VERDICTS).find(([name]) => name === kind)?.[1];
      expect(verdictOf(answered(400, text))).toBe(verdict);
      const inItsWords = answeredInItsWords(400, text);
      expect(verdictOf(inItsWords)).toBe(verdict);
    },
  );

  it("a failure keeps its meaning with the provider's own words, and with another time to wait", () => {
    const failure = responseTooLong(1);
    expect(verdictOf(asProviderSaid(failure, { status: 400, body: '{}' }))).toBe(VERDICTS.answer_too_long);
    expect(verdictOf(withRetryAfter(failure, 3))).toBe(VERDICTS.answer_too_long);
  });

  it('a request that the gateway itself ends counts as interrupted, and no other provider is asked', () => {
    for (const failure of [requestLimitReached('free', 60, 1_000), new Error('a bug'), undefined]) {
      expect(verdictOf(failure)).toBe(VERDICTS.interrupted);
    }
  });

  it('a failure that nobody has classified further means what its code means', () => {
    expect(verdictOf(answerTakesTooLong(new Error('slow')))).toBe(VERDICTS.timed_out);
    expect(verdictOf(providerLimits(1))).toBe(VERDICTS.limited);
  });
});

describe("a provider's own words", () => {
  it("a provider's own words reach callers of its API with its status and the time to wait", () => {
    const { headers, providersBody, status } = answeredInItsWords(413, 'much too large');
    expect([status, headers['retry-after']]).toEqual([413, '7']);
    expect(providersBody).toContain('much too large');
  });
});

describe('another model', () => {
  it('another model is asked where it may have an answer, and not where any model would refuse', () => {
    const kinds = Object.entries(VERDICTS) satisfies [string, Verdict][];
    const notAsked = kinds.filter(([, { next }]: [string, Verdict]) => !next.includes('model'));
    expect(notAsked.map(([kind]) => kind)).toEqual([
      'answer_too_long',
      'rejected',
      'not_found',
      'previous_response_not_found',
      'client_left',
      'interrupted',
    ]);
  });
});
