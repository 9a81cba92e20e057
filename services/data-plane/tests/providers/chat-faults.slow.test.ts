import {
  answerObserver,
  PROVIDER_CREDENTIAL,
  type TestGateway,
  until,
  withGateway,
} from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { readResponseStream } from '../../../../packages/dialects/tests/responses-grammar.ts';
import { bothApis } from '../endpoints/both-apis.ts';
import { withoutBreakers } from './without-breakers.ts';

/** Pairs of the API of the caller and the API of the provider; each fault is tested with each pair. */
const PAIRS = [
  { caller: 'chat', provider: 'chat', model: 'sim/chat-pro' },
  { caller: 'messages', provider: 'messages', model: 'sim/claude-pro' },
  { caller: 'messages', provider: 'chat', model: 'sim/chat-pro' },
  { caller: 'chat', provider: 'messages', model: 'sim/claude-pro' },
  { caller: 'responses', provider: 'chat', model: 'sim/chat-pro' },
  { caller: 'responses', provider: 'messages', model: 'sim/claude-pro' },
] as const;
type Pair = (typeof PAIRS)[number];
type Fault = Parameters<TestGateway['provider']['script']>[number];

const PATHS = { chat: 'chat/completions', messages: 'messages', responses: 'responses' } as const;
/** Last event of a stream that is complete, or cut off by its length. */
const ENDS = {
  chat: /^data: \[DONE\]$/gm,
  messages: /^event: message_stop$/gm,
  responses: /^event: response\.(?:completed|incomplete)$/gm,
} as const;

const gateway = withGateway({
  document: (baseUrl) => {
    const document = bothApis(baseUrl);
    const timeouts_ms = { connect: 2_000, first_byte: 2_000, idle: 1_000, total: 2_000 };
    return { ...document, providers: document.providers.map((provider) => ({ ...provider, timeouts_ms })) };
  },
  overrides: withoutBreakers(),
});

const CONTENT = 'word '.repeat(60);

async function send({ caller, model }: Pair, fault: Fault, stream: boolean) {
  // The gateway may send a request again after a failure before the first byte.
  gateway.provider.script({ content: CONTENT, ...fault }, { content: CONTENT, ...fault });
  const asked =
    caller === 'responses'
      ? { max_output_tokens: 500, input: 'hello' }
      : { max_tokens: 500, messages: [{ role: 'user', content: 'hello' }] };
  const { isBroken, ...answer } = await gateway.ask(PATHS[caller], { model, stream, ...asked });
  gateway.provider.clear();
  return { ...answer, complete: !isBroken };
}

/** Returns the events of a stream, each with its data, and its name if it has one. */
function eventsOf(body: string): { name: string | undefined; data: string }[] {
  return body.split('\n\n').flatMap((event) => {
    const data = /^data: (.*)$/m.exec(event)?.[1];
    return data === undefined ? [] : [{ name: /^event: (.*)$/m.exec(event)?.[1], data }];
  });
}

function expectErrorOf({ caller }: Pair, text: string, type: string, code: string, requestId: string | null) {
  const error = JSON.parse(text);
  if (caller !== 'messages') {
    expect(error).toMatchObject({ error: { type: 'upstream_error', code, request_id: requestId } });
    return;
  }
  expect(error).toMatchObject({ type: 'error', error: { type, code }, request_id: requestId });
}

/** The stream of Responses up to its failure follows the rules of the API. */
function expectFailed(body: string, request_id: string | null): void {
  const { hasFailed, response } = readResponseStream(body);
  expect(hasFailed).toBe(true);
  expect(response?.error).toMatchObject({ code: 'server_error', request_id });
}

describe.each(PAIRS)('faults of a provider of $provider for a caller of $caller', (pair) => {
  describe.each([false, true])('a fault before the first byte (stream: %s)', (stream) => {
    it.each<[string, Fault, number, string]>([
      ['500', { status: 500, message: 'internal trace' }, 502, 'upstream_error'],
      ['503', { status: 503 }, 502, 'upstream_error'],
      ['401', { status: 401, message: 'internal trace' }, 502, 'upstream_error'],
      ['403', { status: 403 }, 502, 'upstream_error'],
      ['404', { status: 404 }, 502, 'upstream_error'],
      ['302', { status: 302 }, 502, 'upstream_error'],
      ['a reset', { reset: 'before_headers' }, 502, 'upstream_error'],
      ['a reset after its headers', { reset: 'after_headers' }, 502, 'upstream_error'],
      ['HTML with 200', { rubbish: 'html' }, 502, 'upstream_error'],
      ['text with 200', { rubbish: 'text' }, 502, 'upstream_error'],
      ['broken JSON', { rubbish: 'bad_json' }, 502, 'upstream_error'],
      ['JSON of another shape', { rubbish: 'wrong_shape' }, 502, 'upstream_error'],
      ['an empty answer', { rubbish: 'empty' }, 502, 'upstream_error'],
      ['contradictory framing', { framing: 'cl_and_te' }, 502, 'upstream_error'],
      ['silence', { hang: 'before_headers' }, 504, 'upstream_timeout'],
      ['silence after its headers', { hang: 'after_headers' }, 504, 'upstream_timeout'],
    ])(
      'a provider that answers %s becomes an error of the gateway, and costs nothing',
      async (_name, fault, status, code) => {
        const answer = await send(pair, { ...fault, ...(stream ? {} : { set_cookie: true }) }, stream);
        expect(answer.status, answer.body).toBe(status);
        expectErrorOf(pair, answer.body, 'api_error', code, answer.headers.get('x-request-id'));
        expect(answer.body).not.toMatch(/trace|<html/i);
        expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
        expect(answer.headers.get('set-cookie')).toBeNull();
        expect(answer.headers.get('x-gateway-model')).toBe(pair.model);
        const { charged } = await gateway.recordOf(answer);
        expect(charged).toBe(0n);
      },
    );
  });

  it('a response that breaks off is 502, never half a success', async () => {
    const answer = await send(pair, { truncate: { after_events: 1 } }, false);
    expect(answer.status).toBe(502);
  });

  it.each<[string, Fault, string]>([
    ['is cut', { truncate: { after_events: 8 } }, 'upstream_error'],
    ['is reset', { reset: { after_events: 8 } }, 'upstream_error'],
    ['has rubbish in it', { rubbish: 'bad_chunk' }, 'upstream_error'],
    ['has a line without an end', { sse: 'huge_line' }, 'upstream_error'],
    ['stalls', { hang: { after_events: 8 } }, 'upstream_timeout'],
    ['ends without its end', { sse: 'no_done' }, 'upstream_error'],
    ['ends within its last event', { sse: 'no_blank_line' }, 'upstream_error'],
    ['has an error event in it', { sse: 'error_event' }, 'upstream_error'],
  ])(
    'a stream that %s ends in one error event and breaks off, and costs what was delivered',
    async (what, fault, code) => {
      const answer = await send(pair, fault, true);
      expect(answer.status, answer.body).toBe(200);
      expect(answer.complete).toBe(false);
      const events = eventsOf(answer.body);
      const last = events.at(-1);
      // The provider's own error event goes to callers of its API in its own words.
      const isPassed =
        what.startsWith('has an error event') && pair.caller === 'messages' && pair.provider === 'messages';
      if (isPassed)
        expect(JSON.parse(last?.data ?? '')).toMatchObject({ error: { type: 'overloaded_error' } });
      else if (pair.caller === 'responses') expectFailed(answer.body, answer.headers.get('x-request-id'));
      else expectErrorOf(pair, last?.data ?? '', 'api_error', code, answer.headers.get('x-request-id'));
      if (pair.caller === 'messages') expect(last?.name).toBe('error');
      const isError = ({ data, name }: (typeof events)[number]) =>
        name === 'response.failed' || /^\{"(type":"error|error")/.test(data);
      expect(events.filter(isError)).toHaveLength(1);
      for (const end of Object.values(ENDS)) expect(answer.body).not.toMatch(end);
      if (what === 'is cut') expect(answer.body).not.toContain('"finish_reason":"stop"');
      expect(answer.body.length).toBeLessThan(100_000);

      const row = await gateway.recordOf(answer);
      const delivered = answer.body.match(/word/g)?.length ?? 0;
      expect(delivered).toBeGreaterThan(0);
      expect(Number(row.output_tokens)).toBeGreaterThanOrEqual(1);
      expect(Number(row.output_tokens)).toBeLessThanOrEqual(500);
      expect(row.charged).toBeGreaterThan(0n);
      expect(row.charged).toBeLessThanOrEqual(BigInt(String(row.held)));
    },
  );

  it('comments, CRLF line ends and a doubled end are read as meant', async () => {
    for (const sse of ['comments', 'crlf', 'done_twice'] as const) {
      const answer = await send(pair, { sse }, true);
      expect(answer.complete, sse).toBe(true);
      expect(answer.body.match(ENDS[pair.caller]), sse).toHaveLength(1);
    }
  });

  it.each(['missing', 'absurd', 'worded'] as const)(
    'a response with %s usage is counted by the gateway, within its reservation',
    async (usage) => {
      for (const stream of [false, true]) {
        const answer = await send(pair, { usage }, stream);
        expect(answer.status, answer.body).toBe(200);
        const row = await gateway.recordOf(answer);
        expect(Number(row.output_tokens)).toBeGreaterThan(0);
        expect(Number(row.output_tokens)).toBeLessThanOrEqual(500);
        expect(row.charged).toBeGreaterThan(0n);
        expect(row.charged).toBeLessThanOrEqual(BigInt(String(row.held)));
        expect(row.usage_source).toBe('estimated');
        if (pair.caller === 'messages' && pair.provider === 'messages' && usage !== 'missing')
          await nonsenseHasPassed();
      }
    },
  );

  it("neither the provider's headers nor the gateway's credential reach the caller", async () => {
    for (const stream of [false, true]) {
      const answer = await send(pair, { set_cookie: true, echo_credential: true }, stream);
      expect(answer.status, answer.body).toBe(200);
      expect(answer.body).not.toContain(PROVIDER_CREDENTIAL);
      for (const name of ['set-cookie', 'server', 'access-control-allow-origin', 'openai-organization']) {
        expect(answer.headers.get(name)).toBeNull();
      }
    }
  });
});

/** Where both speak Messages the provider's figures pass as they are, although no document allows them. */
async function nonsenseHasPassed(): Promise<void> {
  await until(() => {
    try {
      answerObserver.assertDocumented();
    } catch (found) {
      return String(found).includes('input_tokens must be');
    }
    return false;
  });
}

it('a provider of Messages that starts a second message ends the stream in an error', async () => {
  for (const pair of PAIRS.filter(({ provider }) => provider === 'messages')) {
    const answer = await send(pair, { sse: 'start_twice' }, true);
    expect(answer.complete).toBe(false);
    for (const end of Object.values(ENDS)) expect(answer.body).not.toMatch(end);
  }
});
