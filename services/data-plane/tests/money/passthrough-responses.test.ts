import {
  modelEntry,
  providerEntry,
  withGateway,
  withoutCredential,
  withStarted,
} from '@model-gateway/test-kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { askResponses, eventsOf } from '../endpoints/ask-responses.ts';
import { json, type Respond, startScriptedProvider } from '../providers/scripted-provider.ts';

const MODEL = 'acme/paid';
const PRICES = {
  input_per_million_usd: '1',
  cached_input_per_million_usd: '0.5',
  output_per_million_usd: '2',
  web_search_request_usd: '0.01',
  tool_call_usd: '0.003',
};

const first = withStarted(() => startScriptedProvider());
const second = withStarted(() => startScriptedProvider());
const gateway = withGateway(() => {
  const apis = { apis: ['chat' as const, 'responses' as const] };
  const provider = (id: string, base_url: string) => withoutCredential(providerEntry(id, base_url, apis));
  const document = {
    providers: [provider('first', first.baseUrl), provider('second', second.baseUrl)],
    models: [modelEntry(MODEL, { first: 'theirs', second: 'theirs' }, { tier: 'paid', pricing: PRICES })],
  };
  return { document: () => document };
});
beforeEach(() => {
  first.received.length = 0;
  second.received.length = 0;
  second.respond = answer({});
});

const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'theirs',
  output: [],
};
const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens: 7,
  total_tokens: 110,
};
/** Nano-USD: 60 fresh, 40 cached, 10 written tokens, of which the usage names three in the total alone. */
const COST = 60n * 1_000n + 40n * 500n + 10n * 2_000n;

function answer(members: object): Respond {
  return json(200, JSON.stringify({ ...RESPONSE, usage: USAGE, ...members }));
}

/** A stream that breaks off behind these events, or ends there. */
function events(sent: readonly object[], end: 'breaks' | 'ends'): Respond {
  return (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(sent.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''), () => {
      if (end === 'ends') res.end();
      else res.destroy();
    });
  };
}

const CREATED = {
  type: 'response.created',
  sequence_number: 0,
  response: { ...RESPONSE, status: 'in_progress', usage: null },
};
const DELTA = {
  type: 'response.output_text.delta',
  sequence_number: 1,
  output_index: 0,
  delta: 'hello '.repeat(40),
};

const ask = (more: object = {}) =>
  askResponses(gateway, gateway.rawKey, {
    body: { model: MODEL, input: 'hi '.repeat(40), max_output_tokens: 500, ...more },
  });

const billOf = (headers: Headers) => gateway.recordOf({ headers });

describe('a response that passes through', () => {
  it('a response costs its usage, with the tokens that only the total has', async () => {
    first.respond = answer({});
    const { headers, status } = await ask();
    expect(status).toBe(200);
    expect(await billOf(headers)).toMatchObject({ charged: COST, usage_source: 'provider' });
  });

  it('a response costs the tool calls that its provider ran', async () => {
    first.respond = answer({
      output: [
        { type: 'web_search_call', action: { type: 'search' } },
        { type: 'web_search_call', action: { type: 'open_page' } },
        { type: 'file_search_call' },
      ],
    });
    const { headers } = await ask({ tools: [{ type: 'web_search' }, { type: 'file_search' }] });
    const calls = 10_000_000n + 3_000_000n;
    expect(await billOf(headers)).toMatchObject({
      charged: COST + calls,
      web_search_requests: 1n,
      tool_calls: 1n,
    });
  });

  it('a failed response is free, and its error passes', async () => {
    const error = { code: 'server_error', message: 'Something went wrong.' };
    first.respond = answer({ status: 'failed', error, usage: null });
    const { body, headers, status } = await ask();
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ status: 'failed', error });
    expect(await billOf(headers)).toMatchObject({ charged: 0n });
  });

  it.each(['failed', 'cancelled'])(
    'a %s response with some output and no usage costs its output',
    async (status) => {
      const output = [{ type: 'message', content: [{ type: 'output_text', text: 'x'.repeat(400) }] }];
      first.respond = answer({ status, output, usage: null });
      const { headers } = await ask();
      expect(await billOf(headers)).toMatchObject({ usage_source: 'estimated', output_tokens: 100n });
    },
  );

  it('a response without usage is estimated within its reservation', async () => {
    first.respond = answer({
      usage: null,
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'x'.repeat(400) }] }],
    });
    const { headers } = await ask();
    const { charged, held, usage_source, output_tokens } = await billOf(headers);
    expect([usage_source, output_tokens]).toEqual(['estimated', 100n]);
    expect(charged).toBeGreaterThan(0n);
    expect(charged).toBeLessThanOrEqual(BigInt(String(held)));
  });
});

describe('the reservation for a response that passes through', () => {
  it.each<[string, object]>([
    ['an earlier item', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['an earlier item without its type', { input: [{ id: 'msg_1' }] }],
    ['an earlier item whose type is null', { input: [{ id: 'msg_1', type: null }] }],
  ])('the reservation covers all that a provider may have stored: %s', async (_name, more) => {
    first.respond = answer({});
    const { held } = await billOf((await ask(more)).headers);
    expect(held).toBeGreaterThanOrEqual(1_000_000_000n);
  });

  it("the reservation covers what the caller's own servers bring to the model", async () => {
    first.respond = answer({});
    const tools = [{ type: 'mcp', server_label: 'mine', server_url: 'https://mine.example' }];
    const [usual, bounded] = [await ask({ tools }), await ask({ tools, max_tool_calls: 1 })];
    expect((await billOf(usual.headers)).held).toBeGreaterThanOrEqual(5n * 15_000n * 1_000n);
    const { held } = await billOf(bounded.headers);
    expect(held).toBeGreaterThanOrEqual(15_000n * 1_000n);
    expect(held).toBeLessThan(2n * 15_000n * 1_000n);
  });
});

describe('a streamed response that passes through', () => {
  it('a stream without usage costs what its caller received', async () => {
    const output = [{ type: 'message', content: [{ type: 'output_text', text: 'x'.repeat(400) }] }];
    const last = { type: 'response.completed', response: { ...RESPONSE, output, usage: null } };
    first.respond = events([CREATED, last], 'ends');
    const { headers } = await ask({ stream: true });
    expect(await billOf(headers)).toMatchObject({ usage_source: 'estimated', output_tokens: 100n });
    first.respond = events([CREATED, DELTA, last], 'ends');
    const second = await ask({ stream: true });
    expect(await billOf(second.headers)).toMatchObject({ usage_source: 'estimated', output_tokens: 60n });
  });

  it.each(['breaks', 'ends'] as const)(
    'a stream that %s before its last event ends with one response.failed, and costs what was delivered',
    async (end) => {
      first.respond = events([CREATED, DELTA], end);
      const body = { model: MODEL, input: 'hi '.repeat(40), stream: true, store: false };
      const response = await gateway.ask('responses', body);
      expect(response.isBroken).toBe(true);
      const passed = eventsOf(response);
      expect(passed.map(({ name }) => name)).toEqual([
        'response.created',
        'response.output_text.delta',
        'response.failed',
      ]);
      const failed = JSON.parse(passed.at(-1)?.data ?? '');
      expect(failed).toMatchObject({
        sequence_number: 2,
        response: { object: 'response', status: 'failed', model: MODEL, error: { code: 'server_error' } },
      });
      expect(failed.response.id).toBe(JSON.parse(passed[0]?.data ?? '').response.id);
      expect(await billOf(response.headers)).toMatchObject({ usage_source: 'estimated', output_tokens: 60n });
    },
  );

  it('a stream whose caller leaves costs what was delivered', async () => {
    first.respond = (res, request) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of [CREATED, DELTA]) res.write(`data: ${JSON.stringify(event)}\n\n`);
      expect(request.method).toBe('POST');
    };
    const leave = new AbortController();
    const response = await gateway.post(
      'responses',
      { model: MODEL, input: 'hi '.repeat(40), stream: true, store: false },
      { signal: leave.signal },
    );
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes('hello')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    leave.abort();
    expect(await billOf(response.headers)).toMatchObject({ usage_source: 'estimated', output_tokens: 60n });
  });

  it('a stream goes to the next provider while none of it went out', async () => {
    second.respond = events(
      [CREATED, { type: 'response.completed', response: { ...RESPONSE, usage: USAGE } }],
      'ends',
    );
    for (const fault of [
      events([{ type: 'error', code: 'server_error', message: 'm' }], 'ends'),
      events(
        [
          {
            type: 'response.failed',
            response: { ...RESPONSE, status: 'failed', error: { code: 'server_error' } },
          },
        ],
        'ends',
      ),
      events([], 'ends'),
      json(500, '{}'),
    ]) {
      first.respond = fault;
      const { body, headers } = await ask({ stream: true });
      expect(eventsOf({ body }).map(({ name }) => name)).toEqual(['response.created', 'response.completed']);
      expect(await billOf(headers)).toMatchObject({ charged: COST });
    }
    expect(second.received).toHaveLength(4);
  });
});
