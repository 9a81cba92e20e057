import { describe, expect, it } from 'vitest';
import {
  APIS,
  eventsOf,
  PATHS,
  type Place,
  requestOf,
  sendEvents,
  sendJsonAnswer,
  USAGE,
  wholeOf,
  withGuardedGateway,
  withServer,
} from './guarded-gateway.ts';

const WORD = 'PLUTONIUM';
const FIRST = 'All is well in the laboratory. ';
const FILLER = 'The words of this sentence only have to be longer than what the gateway holds back, and ';
const provider = withServer();
const gateway = withGuardedGateway(provider, () => [
  { id: 'words', kind: 'patterns', patterns: [{ name: 'word', pattern: '(?i)plutonium' }], when: 'response' },
]);
const PLACES: Place[] = ['text', 'reasoning', 'arguments'];
const cases = APIS.flatMap((api) => PLACES.map((place) => [api, place] as const));
/** Splits the word at every position, and once into single characters. */
const splits = (place: Place) => {
  const text = textOf(place);
  const first = place === 'arguments' ? '' : FIRST;
  const filler = place === 'arguments' ? '' : FILLER;
  const rest = text.slice(first.length + filler.length);
  const at = rest.indexOf(WORD);
  const positions = Array.from({ length: WORD.length + 1 }, (_, index) => at + index);
  const all = [...positions.map((end) => [rest.slice(0, end), rest.slice(end)]), [...rest]];
  return all.map((pieces) => [first, filler, ...pieces].filter((piece) => piece !== ''));
};
const textOf = (place: Place) =>
  place === 'arguments'
    ? `{"q": "about ${WORD} now"}`
    : `${FIRST}${FILLER}now I tell you about ${WORD} at last. And more follows.`;

describe('a word that a guardrail withholds', () => {
  it.each(cases)('never gets out of a stream of %s, split anywhere in its %s', async (api, place) => {
    const ended: string[] = [];
    for (const pieces of splits(place)) {
      sendEvents(provider, eventsOf(api, place, pieces), 'holds back');
      const answer = await gateway.ask(PATHS[api], requestOf(api, { stream: true }));
      expect(answer.body).not.toMatch(/PLU|NIUM/);
      expect(answer.isBroken).toBe(false);
      if (answer.status === 403) expect(JSON.parse(answer.body).error.code).toBe('content_blocked');
      else {
        expect(answer.status, answer.body).toBe(200);
        ended.push(answer.body);
      }
    }
    // Nothing precedes a tool call; the first sentence of the others is sent.
    expect(ended.length > 0).toBe(place !== 'arguments');
    const end = {
      chat: '"finish_reason":"content_filter"',
      messages: '"stop_reason":"refusal"',
      responses: '"reason":"content_filter"',
    };
    for (const body of ended) {
      expect(body).toContain('laboratory');
      expect(body).toContain(end[api]);
      if (api === 'chat') expect(body.endsWith('data: [DONE]\n\n')).toBe(true);
      if (api === 'messages')
        expect(body).toMatch(/content_block_stop[\s\S]*message_delta[\s\S]*message_stop/);
    }
  });

  it.each(APIS.flatMap((caller) => APIS.map((at) => [caller, at] as const)))(
    'never gets out in %s where the provider has %s',
    async (caller, at) => {
      const pieces = [FIRST, FILLER, ...textOf('text').slice(FIRST.length + FILLER.length)];
      const served = at === 'responses' && caller !== 'responses' ? 'chat' : at;
      // The check of the first sentence must end before the provider does, also on a busy machine.
      sendEvents(provider, eventsOf(served, 'text', pieces), 'holds back', 250);
      const answer = await gateway.ask(
        PATHS[caller],
        requestOf(caller, { model: `${at}/checked`, stream: true }),
      );
      expect(answer.status, answer.body).toBe(200);
      expect(answer.body).toContain('laboratory');
      expect(answer.body).not.toMatch(/"P"|"PLU|PLUTONIUM/);
      expect(answer.isBroken).toBe(false);
    },
  );

  it.each(cases)('is refused in a whole response of %s, in its %s', async (api, place) => {
    const member = { text: 'text', reasoning: 'reasoning', arguments: 'args' }[place];
    sendJsonAnswer(provider, wholeOf(api, { [member]: textOf(place) }));
    const answer = await gateway.ask(PATHS[api], requestOf(api));
    expect(answer.status, answer.body).toBe(403);
    expect(answer.body).not.toContain(WORD);
    expect(JSON.parse(answer.body).error).toMatchObject({ code: 'content_blocked' });
    const receipt = await gateway.receiptOf(answer);
    expect(receipt.units).toMatchObject({ input_tokens: USAGE.input, output_tokens: USAGE.output });
    expect(receipt.attempts.at(-1)).toMatchObject({ code: 'content_blocked' });
    expect(Number(receipt.settled_usd)).toBeCloseTo((USAGE.input + 2 * USAGE.output) / 1e6, 9);
  });

  it('is found in tool arguments that spell it with escapes', async () => {
    const spelled = `{"q":"\\u0050LUTON\\u0049UM"}`;
    sendEvents(provider, eventsOf('chat', 'arguments', [...spelled]));
    const streamed = await gateway.ask(PATHS.chat, requestOf('chat', { stream: true }));
    expect(streamed.status, streamed.body).toBe(403);
    sendJsonAnswer(provider, wholeOf('responses', { args: spelled }));
    expect((await gateway.ask(PATHS.responses, requestOf('responses'))).status).toBe(403);
  });

  it('does not get out in log probabilities', async () => {
    const whole = wholeOf('chat', {}) as { choices: { logprobs?: object }[] };
    const token = { token: WORD, logprob: -1, bytes: [...Buffer.from(WORD)], top_logprobs: [] };
    for (const choice of whole.choices) choice.logprobs = { content: [token] };
    sendJsonAnswer(provider, whole);
    const answer = await gateway.ask(PATHS.chat, requestOf('chat', { logprobs: true }));
    expect(answer.status, answer.body).toBe(200);
    expect(answer.body).not.toContain(WORD);
    expect(answer.body).not.toContain('[80,76,85');
  });

  it('does not get out in members and events that the gateway does not know', async () => {
    const events = eventsOf('messages', 'text', ['Fine. ']).replace(
      'event: content_block_stop',
      `${[...WORD]
        .map(
          (letter) =>
            `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'new_delta', news: letter } })}\n\n`,
        )
        .join('')}event: content_block_stop`,
    );
    sendEvents(provider, events);
    const answer = await gateway.ask(PATHS.messages, requestOf('messages', { stream: true }));
    expect(answer.body).not.toMatch(/"news":"P"/);
  });

  it('is charged with a stream that ended before it was withheld, as its provider counted it', async () => {
    sendEvents(
      provider,
      eventsOf('messages', 'text', [FIRST, FILLER, textOf('text').slice(FIRST.length + FILLER.length)]),
      'holds back',
    );
    const answer = await gateway.ask(PATHS.messages, requestOf('messages', { stream: true }));
    const receipt = await gateway.receiptOf(answer);
    expect(receipt.units).toMatchObject({ input_tokens: USAGE.input });
    expect(receipt.attempts.at(-1)).toMatchObject({ code: 'content_blocked' });
    expect(receipt.attempts.at(-1)?.error).toContain('words');
    expect(Number(receipt.settled_usd)).toBeGreaterThan(0);
  });
});
