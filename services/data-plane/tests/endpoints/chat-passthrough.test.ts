import { modelEntry, PROVIDER_CREDENTIAL, providerEntry, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';

const gateway = withGateway();

async function send(body: string, headers: Record<string, string> = {}): Promise<Response> {
  return await gateway.post('chat/completions', body, { headers });
}

const rest = '"messages":[{"role":"user","content":"hello"}]';

describe('the `notre` field', () => {
  it.each(['true', 'null', '1e3', '"text"', '[1,[2]]', '{"a":{"b":"}"}}', '""'])(
    'the provider never gets `notre` with the value %s',
    async (value) => {
      for (const stream of [false, true]) {
        const response = await send(
          `{"notre": ${value}, "model":"sim/chat-free","stream":${stream}, ${rest},"n\\u006ftre2":1}`,
        );
        expect(response.status).toBe(200);
        await response.text();
      }
      expect(gateway.provider.requests).toHaveLength(2);
      for (const { body } of gateway.provider.requests) {
        expect(body).not.toHaveProperty('notre');
        expect(body).toHaveProperty('notre2', 1);
      }
    },
  );

  it('a `notre` inside another field reaches the provider', async () => {
    const response = await send(
      `{"model":"sim/chat-free","messages":[{"role":"user","content":"hello","notre":1}],"metadata":{"notre":"kept"}}`,
    );
    expect(response.status).toBe(200);
    expect(gateway.provider.requests[0]?.body).toMatchObject({
      messages: [{ notre: 1 }],
      metadata: { notre: 'kept' },
    });
  });
});

describe('the request that the provider gets', () => {
  it('the provider gets the body to the digit, except for the model', async () => {
    const response = await send(
      `{"seed":12345678901234567890,"model":"sim/chat-free", ${rest} ,"top_p":0.10,"x":"\\u00e9"}`,
    );
    expect(response.status).toBe(200);
    expect(gateway.provider.requests[0]?.bodyText).toBe(
      `{"seed":12345678901234567890,"model":"sim-chat-free", ${rest} ,"top_p":0.10,"x":"\\u00e9"}`,
    );
  });

  it('the provider gets earlier messages with audio or a refusal in place of text', async () => {
    for (const said of ['"audio":{"id":"audio_1"}', '"content":null,"refusal":"I cannot help with that."']) {
      gateway.provider.clear();
      const messages = `"messages":[{"role":"user","content":"hi"},{"role":"assistant",${said}},{"role":"user","content":"go on"}]`;
      expect((await send(`{"model":"sim/chat-free",${messages}}`)).status).toBe(200);
      expect(gateway.provider.requests[0]?.bodyText).toContain(messages);
    }
  });

  it('the provider gets the other stream options, and is always asked for usage', async () => {
    const response = await send(
      `{"model":"sim/chat-free",${rest},"stream":true,"stream_options":{"include_usage":false,"x":1}}`,
    );
    const text = await response.text();
    expect(gateway.provider.requests[0]?.body).toMatchObject({
      stream_options: { include_usage: true, x: 1 },
    });
    expect(text).not.toContain('"usage"');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('the provider gets no key, cookie, address or invented header of the caller', async () => {
    const response = await send(`{"model":"sim/chat-free",${rest}}`, {
      cookie: 'session=secret',
      'x-forwarded-for': '203.0.113.9',
      'x-real-ip': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
      'x-custom': 'caller',
      'openai-beta': 'assistants=v2',
      'accept-encoding': 'gzip',
      'user-agent': 'caller/1.0',
    });
    expect(response.status).toBe(200);
    const [request] = gateway.provider.requests;
    expect(request?.headers).toEqual({
      accept: 'application/json',
      authorization: `Bearer ${PROVIDER_CREDENTIAL}`,
      connection: 'keep-alive',
      'content-length': expect.stringMatching(/^\d+$/),
      'content-type': 'application/json',
      host: new URL(gateway.provider.baseUrl).host,
      'openai-beta': 'assistants=v2',
      'user-agent': expect.stringMatching(/^model-gateway\//),
    });
    expect(request?.path).toBe('/v1/chat/completions');
  });

  it('a catalog change reaches the provider within a second, without a restart', async () => {
    await gateway.applyCatalog({
      providers: [providerEntry('sim', gateway.provider.baseUrl)],
      models: [
        modelEntry('sim/new', { sim: 'sim-chat-pro' }),
        modelEntry('sim/chat-free', { sim: 'sim-chat-free' }),
      ],
    });
    const deadline = performance.now() + 1_000;
    let status = 0;
    while (status !== 200 && performance.now() < deadline) {
      status = (await send(`{"model":"sim/new",${rest}}`)).status;
    }
    expect(status).toBe(200);
    expect((await send(`{"model":"sim/chat-pro",${rest}}`)).status).toBe(404);
  });
});
