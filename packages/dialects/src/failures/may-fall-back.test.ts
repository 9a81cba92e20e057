import {
  asProviderSaid,
  badGateway,
  invalidField,
  modelUnavailable,
  providerLimits,
  providerRejected,
  requestLimitReached,
} from '@model-gateway/shared/errors';
import { describe, expect, it } from 'vitest';
import { mayFallBack } from './may-fall-back.ts';
import { answerTooLong, upstreamTimeout } from './provider-errors.ts';

describe('another model may answer', () => {
  it.each([
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    'prompt is too long: 210000 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
    'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
    'Input is too long for requested model.',
    'too many tokens: total number of tokens in the prompt cannot exceed 4081',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  ])('what a provider says is too long: %s', (message) => {
    expect(mayFallBack(providerRejected(400, message))).toBe(true);
    const inItsWords = { status: 400, body: JSON.stringify({ error: { message } }) };
    expect(mayFallBack(asProviderSaid(providerRejected(400), inItsWords))).toBe(true);
  });

  it.each([
    'messages.1.content.0: Invalid `signature` in `thinking` block',
    'messages.1.content.0: Invalid `data` in `redacted_thinking` block',
    'The encrypted content for item rs_1 could not be verified. Reason: it could not be decrypted or parsed.',
    'Thought signature is not valid.',
    'Function call is missing a thought_signature in functionCall parts.',
  ])('what another model has thought, in words such as: %s', (message) => {
    expect(mayFallBack(providerRejected(400, message))).toBe(true);
    const inItsWords = { status: 400, body: JSON.stringify({ error: { message } }) };
    expect(mayFallBack(asProviderSaid(providerRejected(400), inItsWords))).toBe(true);
  });

  it.each([
    [
      'a model that the provider does not have',
      providerRejected(400, 'The provided model identifier is invalid.'),
    ],
    ['a model that it has no more', providerRejected(400, 'The model `x` has been decommissioned.')],
    ['a request that is too large for it', providerRejected(413)],
    ['a limit of the provider', providerLimits(undefined)],
    ['no answer in time', upstreamTimeout('the answer', 1)],
    ['no proper answer', badGateway()],
    ['providers that are left alone', modelUnavailable('acme/small')],
    ['a field that the API of its provider cannot express', invalidField('logprobs', 'is not there')],
  ])('%s', (_name, failure) => {
    expect(mayFallBack(failure)).toBe(true);
  });
});

describe('no other model is asked about', () => {
  it.each([
    ['what a provider finds wrong with the request', providerRejected(400, 'temperature: must be at most 2')],
    ['a message that is refused', providerRejected(422, 'messages: roles must alternate')],
    ['an answer that took too long although it had begun', answerTooLong(1)],
    ['a limit of the key', requestLimitReached('free', 60, 1_000)],
    ['a fault of the gateway', new Error('a bug')],
  ])('%s', (_name, failure) => {
    expect(mayFallBack(failure)).toBe(false);
  });
});
