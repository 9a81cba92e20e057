import { usageReceipt } from '@model-gateway/shared';
import { until, withGateway } from '@model-gateway/test-kit';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

const gateway = withGateway({
  document: (base_url) => ({
    providers: [
      {
        id: 'anthropic',
        name: 'Anthropic',
        kind: 'anthropic',
        base_url,
        credential_env: 'SIMULATED_API_KEY',
      },
    ],
    models: [
      {
        id: 'anthropic/claude',
        name: 'Claude',
        capability: 'chat',
        tier: 'paid',
        max_output_tokens: 8_000,
        pricing: {
          input_per_million_usd: '3',
          cached_input_per_million_usd: '0.3',
          cache_write_per_million_usd: '3.75',
          cache_write_1h_per_million_usd: '6',
          output_per_million_usd: '15',
        },
        upstreams: [{ provider: 'anthropic', model: 'sim-claude-pro' }],
      },
    ],
  }),
});
afterEach(() => gateway.provider.clear());

const HI = [{ role: 'user', content: 'What is a glacier?' }];
const TOOL = {
  type: 'function',
  function: { name: 'find', parameters: { type: 'object', properties: { q: { type: 'string' } } } },
};

function post(path: string, request: object): Promise<Response> {
  return gateway.post(path, { model: 'anthropic/claude', ...request });
}

const chat = (request: object) => post('chat/completions', { messages: HI, ...request });

const message = z.looseObject({
  content: z.string().nullable(),
  tool_calls: z.array(z.looseObject({ id: z.string() })).default([]),
  reasoning_content: z.string().optional(),
  reasoning_details: z.array(z.looseObject({ type: z.string() })).optional(),
});
const completion = z.looseObject({
  choices: z.array(z.looseObject({ message, finish_reason: z.string() })),
});

async function answered(response: Response) {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  const [choice] = completion.parse(JSON.parse(text)).choices;
  if (choice === undefined) throw new Error('there is no choice');
  return choice;
}

async function charge(response: Response) {
  await response.text();
  const id = response.headers.get('x-request-id') ?? '';
  const receipt = () =>
    fetch(`${gateway.baseUrl}/v1/usage/requests/${id}`, {
      headers: { authorization: `Bearer ${gateway.rawKey}` },
    });
  await until(async () => (await receipt()).status === 200);
  return usageReceipt.parse(await (await receipt()).json());
}

describe('a caller of Chat Completions at a provider of Messages', () => {
  it('is told names of what was left out, and refused what cannot be expressed before anybody is asked', async () => {
    const response = await chat({ seed: 1, user: 'x', messages: [{ ...HI[0], name: 'x' }] });
    expect(response.headers.get('x-gateway-ignored')).toBe('seed, user, messages[].name');
    expect((await answered(response)).finish_reason).toBe('stop');
    const refused = await chat({ n: 2 });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: {
        code: 'invalid_request',
        param: 'n',
        message: 'n: the model "anthropic/claude" gives one answer to a request.',
      },
    });
    expect(gateway.provider.requests).toHaveLength(1);
  });

  it.each([false, true])('pays what a caller of Messages pays; streamed: %s', async (stream) => {
    // Long enough to be cached; each API marks the same text.
    const text = 'glaciers move '.repeat(1_000);
    const part = { type: 'text', text, cache_control: { type: 'ephemeral' } };
    const request = { messages: [{ role: 'user', content: [part] }], max_tokens: 50, stream };
    const asChat = await charge(await chat(request));
    gateway.provider.clear();
    const asMessages = await charge(await post('messages', request));
    expect(asChat.settled_usd).toBe(asMessages.settled_usd);
    expect(asChat.units).toEqual(asMessages.units);
    expect(asChat).toMatchObject({ usage_source: 'provider' });
    expect(asChat.units.cache_write_tokens).toBeGreaterThan(1_000);
  });

  it.each([false, true])(
    'thinks, calls tools and goes on with its thinking; streamed: %s',
    async (stream) => {
      const options = { tools: [TOOL], reasoning_effort: 'high', stream };
      const asked = [{ role: 'user', content: 'use find: {"q":"ice"}' }];
      const response = await chat({ ...options, messages: asked });
      const said = stream ? await gathered(response) : (await answered(response)).message;
      expect(said.reasoning_content).toMatch(/\w/);
      expect(said.tool_calls).toMatchObject([{ function: { name: 'find', arguments: '{"q":"ice"}' } }]);
      const [call] = said.tool_calls;
      const results = [{ role: 'tool', tool_call_id: call?.id, content: 'frozen water' }];
      const goOn = (details: unknown) =>
        chat({
          ...options,
          stream: false,
          messages: [...asked, { ...said, role: 'assistant', reasoning_details: details }, ...results],
        });
      expect((await answered(await goOn(said.reasoning_details))).finish_reason).toBe('stop');
      const changed = said.reasoning_details?.map((detail) => ({ ...detail, text: 'changed' }));
      expect(await (await goOn(changed)).json()).toMatchObject({
        error: { code: 'upstream_rejected', message: expect.stringContaining('Invalid `signature`') },
      });
    },
  );

  it.each([
    ['cut', { truncate: { after_events: 6 } }],
    ['reset', { reset: { after_events: 6 } }],
    ['with an error event', { sse: 'error_event' }],
    ['with a second beginning', { sse: 'start_twice' }],
    ['with garbage', { rubbish: 'bad_chunk' }],
  ] as const)('never takes a stream for a success that is %s', async (_what, fault) => {
    gateway.provider.script(fault, fault, fault, fault);
    const response = await chat({ stream: true });
    const text = await response.text().catch((broken: unknown) => String(broken));
    expect(text).not.toContain('[DONE]');
    expect(text).not.toContain('"finish_reason":"');
    expect(text).toMatch(/"code":"upstream_error"|terminated/);
  });
});

const chunk = z.looseObject({
  choices: z.array(
    z.looseObject({
      delta: z.looseObject({
        reasoning_content: z.string().default(''),
        reasoning_details: z.array(z.looseObject({ type: z.string() })).default([]),
        tool_calls: z
          .array(
            z.looseObject({
              id: z.string().default(''),
              function: z.looseObject({ name: z.string().default(''), arguments: z.string() }),
            }),
          )
          .default([]),
      }),
    }),
  ),
});

/** As clients do that know nothing of these members: they put lists one behind the other. */
async function gathered(response: Response): Promise<z.infer<typeof message>> {
  const events = (await response.text()).split('\n\n').filter((event) => event.startsWith('data: {'));
  const deltas = events.flatMap((event) =>
    chunk.parse(JSON.parse(event.slice('data: '.length))).choices.map(({ delta }) => delta),
  );
  const [first, ...pieces] = deltas.flatMap(({ tool_calls }) => tool_calls);
  if (first === undefined) throw new Error('no tool was called');
  const written = [first, ...pieces].map(({ function: called }) => called.arguments).join('');
  return {
    content: null,
    reasoning_content: deltas.map(({ reasoning_content }) => reasoning_content).join(''),
    reasoning_details: deltas.flatMap(({ reasoning_details }) => reasoning_details),
    tool_calls: [{ ...first, function: { name: first.function.name, arguments: written } }],
  };
}
