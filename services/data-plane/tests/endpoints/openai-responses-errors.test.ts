import { withGateway } from '@model-gateway/test-kit';
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from 'openai';
import { toResponseInputItems } from 'openai/lib/responses/ResponseInputItems';
import { beforeAll, describe, expect, it } from 'vitest';
import { allApis, EVERY_KIND, RESPONSES, TRANSLATED } from './all-apis.ts';
import { CLAUDE } from './both-apis.ts';

let client: OpenAI;

const gateway = withGateway({ document: allApis });
beforeAll(async () => {
  const { rawKey } = await gateway.createKey();
  client = clientOf(rawKey);
});

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
}

describe.each(EVERY_KIND)("OpenAI's client and a model of %s", (_name, model) => {
  const request = { model, input: 'Why is the sky blue?', store: false };

  it('raises its own error classes, with the code, the param and the request id', async () => {
    const unauthorized = await failure(clientOf('gw_live_nonsense').responses.create(request));
    expect(unauthorized).toBeInstanceOf(AuthenticationError);
    expect(unauthorized).toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect(unauthorized.requestID).toMatch(/^req_/);

    const unknown = await failure(client.responses.create({ ...request, model: 'sim/nothing' }));
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect(unknown).toMatchObject({ code: 'model_not_found', param: 'model' });

    const invalid = await failure(client.responses.create({ ...request, max_output_tokens: -1 }));
    expect(invalid).toBeInstanceOf(BadRequestError);
    expect(invalid).toMatchObject({ code: 'invalid_request', param: 'max_output_tokens' });

    gateway.provider.script({ status: 500 });
    const failed = await failure(client.responses.create(request));
    expect(failed).toBeInstanceOf(InternalServerError);
    expect(failed).toMatchObject({ status: 502, code: 'upstream_error' });

    gateway.provider.script({ status: 429, retry_after: '17' });
    const limited = await failure(client.responses.create(request));
    expect(limited).toBeInstanceOf(RateLimitError);
    expect(limited).toMatchObject({ status: 429, code: 'upstream_rate_limited' });
    expect(limited.headers?.get('retry-after')).toBe('17');
  });

  it('learns of limits and of missing credit, streamed or not', async () => {
    const account = await gateway.createAccount();
    const { rawKey: limitedKey } = await gateway.createKey(account);
    const value = { value: 1 };
    await gateway.admin.call(10_000, 'accounts', 'setLimits', { account, freePerMinute: value });
    const limited = clientOf(limitedKey);
    await limited.responses.create(request);
    for (const stream of [false, true]) {
      const error = await failure(limited.responses.create({ ...request, stream }));
      expect(error).toBeInstanceOf(RateLimitError);
      expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
      expect(Number(error.headers?.get('retry-after'))).toBeGreaterThan(0);
    }

    const poor = await gateway.admin.call(10_000, 'accounts', 'createAccount', {
      email: `${model.replaceAll('/', '-')}@example.com`,
      name: 'Poor',
    });
    const { rawKey: poorKey } = await gateway.createKey(poor.id);
    const paid = { ...request, model: model.replace('free', 'pro') };
    for (const stream of [false, true]) {
      const unpaid = await failure(clientOf(poorKey).responses.create({ ...paid, stream }));
      expect(unpaid).toMatchObject({ status: 402, code: 'insufficient_balance' });
    }
  });

  it.each([
    ['is cut', { truncate: { after_events: 6 } }],
    ['is reset', { reset: { after_events: 6 } }],
    ['has an error event', { sse: 'error_event' as const }],
    ['has rubbish in it', { rubbish: 'bad_chunk' as const }],
  ])('raises when its stream %s in the middle, which is never completed', async (_what, fault) => {
    gateway.provider.script({ content: 'word '.repeat(50), ...fault });
    const types: string[] = [];
    const stream = await client.responses.create({ ...request, stream: true });
    await expect(
      (async () => {
        for await (const event of stream) types.push(event.type);
      })(),
    ).rejects.toThrow();
    expect(types[0]).toBe('response.created');
    // An error event of the provider passes before it, and makes this client raise at once.
    if (model !== RESPONSES || !('sse' in fault)) expect(types.at(-1)).toBe('response.failed');
    expect(types).not.toContain('response.completed');

    gateway.provider.script({ content: 'word '.repeat(50), ...fault });
    const helper = client.responses.stream(request);
    helper.on('error', () => undefined);
    await expect(helper.finalResponse()).rejects.toThrow();
  });
});

describe("OpenAI's client and a model whose provider speaks Responses", () => {
  const request = { model: RESPONSES, input: 'Why is the sky blue?' };

  it('goes on from the response before, and gets, lists and deletes what is kept', async () => {
    const first = await client.responses.create(request);
    const second = await client.responses
      .stream({ ...request, previous_response_id: first.id })
      .finalResponse();
    expect(second).toMatchObject({ status: 'completed', previous_response_id: first.id });
    expect(await client.responses.retrieve(first.id)).toEqual(first);
    const items = await Array.fromAsync(client.responses.inputItems.list(first.id));
    expect(items).toMatchObject([{ type: 'message', role: 'user' }]);
    await client.responses.delete(first.id);
    expect(await failure(client.responses.retrieve(first.id))).toBeInstanceOf(NotFoundError);
  });

  it("finds nothing under another account's id", async () => {
    const { id } = await client.responses.create(request);
    const { rawKey } = await gateway.createKey();
    const stranger = clientOf(rawKey);
    for (const ask of [
      () => stranger.responses.retrieve(id),
      () => stranger.responses.cancel(id),
      () => stranger.responses.delete(id),
      () => Array.fromAsync(stranger.responses.inputItems.list(id)),
      () => stranger.responses.create({ ...request, previous_response_id: id }),
    ])
      expect(await failure(ask())).toBeInstanceOf(NotFoundError);
    expect((await client.responses.retrieve(id)).id).toBe(id);
  });
});

describe.each(TRANSLATED)("OpenAI's client and a model of %s, which keeps nothing", (_name, model) => {
  const request = { model, input: 'Why is the sky blue?' };

  it('is told to send `store: false` where it goes on from what nobody has kept', async () => {
    const { id, output } = await client.responses.create(request);
    const [message] = output;
    if (message?.type !== 'message') throw new Error(`it began with ${message?.type}`);
    for (const [param, more] of [
      ['previous_response_id', { previous_response_id: id }],
      ['input', { input: [{ type: 'item_reference', id: message.id }] }],
      ['background', { background: true }],
      ['conversation', { conversation: 'conv_1' }],
    ] satisfies [string, Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming>][]) {
      const refused = await failure(client.responses.create({ ...request, ...more }));
      expect(refused, param).toBeInstanceOf(BadRequestError);
      expect(refused.message).toContain('store: false');
      expect(refused.param, param).toMatch(new RegExp(`^${param}`));
    }
    expect(await failure(client.responses.retrieve(id))).toBeInstanceOf(NotFoundError);
  });
});

describe("OpenAI's client and a model of Anthropic", () => {
  it('gets what was thought, encrypted, and sends it back; what cannot be read is left out by name', async () => {
    const asked = { type: 'message' as const, role: 'user' as const, content: 'Why is the sky blue?' };
    const request = {
      model: CLAUDE,
      store: false,
      include: ['reasoning.encrypted_content' as const],
      reasoning: { effort: 'low' as const, summary: 'auto' as const },
    };
    const first = await client.responses.stream({ ...request, input: [asked] }).finalResponse();
    const [thought, ...rest] = first.output;
    if (thought?.type !== 'reasoning') throw new Error(`it began with ${thought?.type}`);
    expect(thought.encrypted_content?.length).toBeGreaterThan(20);
    const ignoredOf = async (reasoning: OpenAI.Responses.ResponseReasoningItem) => {
      const input = [asked, reasoning, ...toResponseInputItems(rest), asked];
      const { data, response } = await client.responses.create({ ...request, input }).withResponse();
      expect(data.status).toBe('completed');
      return response.headers.get('x-gateway-ignored');
    };
    expect(await ignoredOf(thought)).toBeNull();
    expect(gateway.provider.requests.at(-1)?.bodyText).toContain('"signature":');
    const changed = `${thought.encrypted_content?.slice(0, -8)}AAAAAAAA`;
    expect(await ignoredOf({ ...thought, encrypted_content: changed })).toContain('encrypted_content');
    expect(gateway.provider.requests.at(-1)?.bodyText).not.toContain('"signature":');
  });
});

async function failure(promise: PromiseLike<unknown>): Promise<APIError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof APIError) return error;
    throw error;
  }
  throw new Error('expected a failure');
}
