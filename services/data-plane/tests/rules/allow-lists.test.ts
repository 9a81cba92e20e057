import { envelopeOf, until, withStarted } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { beforeEach, describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../../packages/openapi/src/index.ts';
import { askRoute, ROUTES, type Route } from './ask-route.ts';
import { OTHERS } from './ruled-catalog.ts';
import { startRuledGateway } from './ruled-gateway.ts';
import { createRuledKey } from './ruled-key.ts';

const ruled = withStarted(() => startRuledGateway({ TRUST_PROXY: '1' }));
beforeEach(() => void ruled.takeArrivals());
const keyWith = (...[rules, account]: [Parameters<typeof createRuledKey>[1], string?]) =>
  createRuledKey(ruled.gateway, rules, account);
const codeOf = (answer: { body: string }) => JSON.parse(answer.body).error.code;
const arrivedAt = () => ruled.takeArrivals().map(({ modelId, provider }) => `${modelId} at ${provider}`);
const bearer = (rawKey: string) => ({ authorization: `Bearer ${rawKey}` });

describe('a key that may use only some models', () => {
  it.each(['acme/large', 'beta/large'])(
    'is refused for %s, whose fallbacks it may not use either',
    async (model) => {
      const { rawKey } = await keyWith({ key: { models: ['acme/small'] } });
      for (const route of ['chat/completions', 'messages', 'responses'] as const) {
        const answer = await askRoute(ruled.gateway, rawKey, route, { model });
        expect(answer.status, answer.body).toBe(403);
        expect(JSON.parse(answer.body).error).toMatchObject({
          code: 'model_not_allowed',
          type: route === 'messages' ? 'permission_error' : 'permission_denied',
          param: 'model',
          message:
            `The rules of this API key do not allow the model "${model}". ` +
            'GET /v1/models with this key lists the models that it may use.',
        });
        // The refusal counts as a read.
        expect(answer.headers.get('ratelimit')).toContain('"key"');
      }
      expect(arrivedAt()).toEqual([]);
    },
  );

  it('gets an allowed fallback of a model that it may not use, and no other', async () => {
    const { rawKey } = await keyWith({ key: { models: ['beta/*'] }, account: { models: ['*/large'] } });
    const answer = await askRoute(ruled.gateway, rawKey, 'chat/completions', { model: 'acme/large' });
    expect(answer.status, answer.body).toBe(200);
    expect(answer.headers.get('x-gateway-model')).toBe('beta/large');
    expect(arrivedAt()).toEqual(['beta/large at other']);
  });

  it('does not reach a fallback that it may not use when the model fails', async () => {
    const { rawKey } = await keyWith({ key: { models: ['acme/small'] } });
    for (const provider of [ruled.providers.plain, ruled.providers.storing]) provider.script({ status: 500 });
    const answer = await askRoute(ruled.gateway, rawKey, 'chat/completions', { model: 'small' });
    expect(answer.status, answer.body).toBe(502);
    expect(new Set(arrivedAt())).toEqual(new Set(['acme/small at plain', 'acme/small at storing']));
    for (const provider of [ruled.providers.plain, ruled.providers.storing]) provider.clear();
  });

  it('gets only members of a virtual model and of its own list that it may use', async () => {
    const { rawKey } = await keyWith({ key: { models: ['beta/*'] } });
    for (const named of [{ model: 'any' }, { models: ['acme/small', 'acme/large', 'beta/small'] }])
      for (let time = 0; time < 4; time++)
        expect(await askRoute(ruled.gateway, rawKey, 'chat/completions', named)).toMatchObject({
          status: 200,
        });
    expect(new Set(arrivedAt().map((each) => each.split(' ')[0]))).toEqual(new Set(['beta/small']));
  });

  it('is refused for a virtual model and a list without a model that it may use', async () => {
    const { rawKey } = await keyWith({ key: { models: ['acme/embed'] } });
    const virtual = await askRoute(ruled.gateway, rawKey, 'messages', { model: 'auto/any' });
    expect(virtual.body).toContain('do not allow any model behind \\"auto/any\\"');
    const list = await askRoute(ruled.gateway, rawKey, 'responses', { models: ['small', 'beta/small'] });
    expect(envelopeOf(list)).toMatchObject({ code: 'model_not_allowed', param: 'models' });
    expect(arrivedAt()).toEqual([]);
  });

  it('gets no suggestion of a model that it may not use', async () => {
    const { rawKey } = await keyWith({ key: { models: ['beta/*'] } });
    const answer = await askRoute(ruled.gateway, rawKey, 'chat/completions', { model: 'beta/smal' });
    expect(answer.body).toContain('Did you mean beta/small');
    const other = await askRoute(ruled.gateway, rawKey, 'chat/completions', { model: 'acme/smal' });
    expect(other.body).not.toMatch(/Did you mean (acme|small)/);
  });

  it('may use every model without a list, and none with an empty list', async () => {
    const [open, closed] = [await keyWith({ key: { models: null } }), await keyWith({ key: { models: [] } })];
    const ask = (key: string) => askRoute(ruled.gateway, key, 'chat/completions', { model: 'acme/small' });
    expect((await ask(open.rawKey)).status).toBe(200);
    expect(codeOf(await ask(closed.rawKey))).toBe('model_not_allowed');
  });

  it.each([
    { fallbacks: [{ model: 'sim-claude-pro' }] },
    { tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'sim-claude-pro' }] },
  ])('may not let a provider call another model: %j', async (fields) => {
    const { rawKey } = await keyWith({ key: { models: ['acme/large'] } });
    const answer = await askRoute(ruled.gateway, rawKey, 'messages', { model: 'acme/large', ...fields });
    expect(answer.status, answer.body).toBe(403);
    expect(answer.body).toContain('do not allow the model \\"sim-claude-pro\\"');
    expect(arrivedAt()).toEqual([]);
  });
});

describe('a key that may use only some providers', () => {
  it('never reaches another provider of a model', async () => {
    const { rawKey } = await keyWith({
      team: { providers: ['other', 'storing'] },
      seat: { providers: ['[pso]*'] },
    });
    expect(codeOf(await askRoute(ruled.gateway, rawKey, 'messages', { model: 'beta/small' }))).toBe(
      'model_not_allowed',
    );
    const allowed = await keyWith({ team: { providers: ['other', 'storing'] }, seat: { providers: ['o*'] } });
    for (const route of ['chat/completions', 'messages', 'responses'] as const)
      expect((await askRoute(ruled.gateway, allowed.rawKey, route, { model: 'beta/small' })).status).toBe(
        200,
      );
    expect(new Set(arrivedAt())).toEqual(new Set(['beta/small at other']));
  });

  it('is refused with the reason when a model has no allowed provider', async () => {
    const { rawKey } = await keyWith({ account: { providers: ['other'] } });
    const answer = await askRoute(ruled.gateway, rawKey, 'embeddings', { model: 'beta/embed' });
    expect(answer.status).toBe(200);
    const refused = await askRoute(ruled.gateway, rawKey, 'chat/completions', { model: 'acme/small' });
    expect(refused.status).toBe(403);
    expect(envelopeOf(refused).message).toContain('allow no provider of the model "acme/small"');
  });
});

describe('a stored response', () => {
  it('cannot be read, continued, cancelled or deleted by a key that may not use its model or provider', async () => {
    const wide = await keyWith({});
    const create = async (model: string) => {
      const answer = await askRoute(ruled.gateway, wide.rawKey, 'responses', { model });
      expect(answer.status, answer.body).toBe(200);
      return JSON.parse(answer.body).id;
    };
    const id = await create('beta/large');
    for (const rules of [
      { models: ['beta/small'] },
      { providers: ['storing', 'plain'] },
      { endpoints: ['images'] },
    ]) {
      const { rawKey } = await keyWith({ key: rules }, wide.accountId);
      ruled.takeArrivals();
      const about = (method: string, below = '') =>
        fetch(`${ruled.gateway.baseUrl}/v1/responses/${id}${below}`, { method, headers: bearer(rawKey) });
      for (const [method, below] of [
        ['GET', ''],
        ['GET', '/input_items'],
        ['POST', '/cancel'],
        ['DELETE', ''],
      ]) {
        const answer = await about(method ?? '', below);
        expect([answer.status, codeOf({ body: await answer.text() })]).toEqual([
          403,
          'endpoints' in rules ? 'endpoint_not_allowed' : 'model_not_allowed',
        ]);
      }
      const next = await askRoute(ruled.gateway, rawKey, 'responses', {
        model: 'beta/large',
        previous_response_id: id,
      });
      expect(next.status).toBe(403);
      expect(ruled.takeArrivals()).toEqual([]);
    }
    const { rawKey } = await keyWith(
      { key: { models: ['beta/large'], providers: ['other'] } },
      wide.accountId,
    );
    const next = await askRoute(ruled.gateway, rawKey, 'responses', {
      model: 'beta/large',
      previous_response_id: id,
    });
    expect(next.status, next.body).toBe(200);
  });
});

describe('a key that may use only some endpoints', () => {
  it.each(Object.keys(ROUTES) as Route[])('is refused on /v1/%s before its body is read', async (route) => {
    const { capability } = ROUTES[route];
    const { rawKey } = await keyWith({ key: { endpoints: capability === 'chat' ? ['images'] : ['chat'] } });
    const answer = await ruled.gateway.ask(route, '{ no JSON', { key: rawKey });
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body).error).toMatchObject({
      code: 'endpoint_not_allowed',
      message: `The rules of this API key do not allow requests for ${capability}. Ask whoever manages the key to add "${capability}" to its endpoints.`,
    });
    const allowed = await keyWith({ key: { endpoints: [capability] } });
    const model = capability === 'chat' ? 'small' : `acme/${OTHERS[capability]}`;
    expect(await askRoute(ruled.gateway, allowed.rawKey, route, { model })).toMatchObject({ status: 200 });
  });
});

describe('a key that may be used only from some networks', () => {
  const operations = Object.entries(openApiDocument().paths ?? {}).flatMap(([path, item]) =>
    (['get', 'post', 'delete'] as const).flatMap((method) => {
      const security = item[method]?.security ?? [];
      return security.some((each) => 'apiKey' in each) ? [[method.toUpperCase(), path] as const] : [];
    }),
  );

  it.each(operations)('is refused elsewhere: %s %s', async (method, path) => {
    const { rawKey } = await keyWith({ account: { networks: ['198.51.100.0/24', '2001:db8::/32'] } });
    const ask = (address: string) =>
      fetch(`${ruled.gateway.baseUrl}${path.replaceAll(/\{\w+\}/g, 'acme')}`, {
        method,
        headers: { ...bearer(rawKey), 'x-forwarded-for': address, 'content-type': 'application/json' },
        ...(method === 'POST' ? { body: '{ no JSON' } : {}),
      });
    for (const address of ['203.0.113.7', '2001:db9::1', '127.0.0.1']) {
      const answer = await ask(address);
      const { error } = JSON.parse(await answer.text());
      expect([answer.status, error.code]).toEqual([403, 'network_not_allowed']);
      expect(error.message).toContain(`do not allow requests from ${address}.`);
    }
    for (const address of ['198.51.100.7', '::ffff:198.51.100.7', '2001:db8::1']) {
      const answer = await ask(address);
      expect(answer.status).not.toBe(403);
      await answer.body?.cancel();
    }
  });
});

describe('a key whose requests need labels', () => {
  it('is refused without its tags and its end user, and served with them', async () => {
    const rules = { require_tags: ['project', 'constructor'], require_end_user: true };
    const { rawKey } = await keyWith({ key: rules });
    const ask = (tags: string, fields: object = {}) =>
      askRoute(
        ruled.gateway,
        rawKey,
        'chat/completions',
        { model: 'small', ...fields },
        { 'x-gateway-tags': tags },
      );
    expect(envelopeOf(await ask('env=prod'))).toMatchObject({
      code: 'tag_required',
      message:
        'The rules of this API key require the tag "project". ' +
        'Send it as a header: "x-gateway-tags: project=VALUE".',
    });
    expect(codeOf(await ask('project=a'))).toBe('tag_required');
    const refused = await ask('project=a,constructor=b');
    expect([refused.status, codeOf(refused)]).toEqual([400, 'end_user_required']);
    expect(arrivedAt()).toEqual([]);
    expect((await ask('project=a,constructor=b', { user: 'ann' })).status).toBe(200);
  });

  it("is served with the key's own tags, and counts tokens without any", async () => {
    const { id, rawKey } = await keyWith({ account: { require_tags: ['project'] } });
    await using sql = openSql(ruled.gateway.databaseUrl);
    await sql.run(`UPDATE api_keys SET tags = '{"project":"alpha"}' WHERE id = $1`, id);
    expect((await askRoute(ruled.gateway, rawKey, 'messages', { model: 'small' })).status).toBe(200);
    const other = await keyWith({ key: { require_tags: ['project'], require_end_user: true } });
    for (const route of ['messages/count_tokens', 'responses/input_tokens'] as const)
      expect((await askRoute(ruled.gateway, other.rawKey, route, { model: 'small' })).status).toBe(200);
  });
});

describe('the template for end users', () => {
  it('narrows what a request with an end user may use, and nothing else', async () => {
    const { rawKey } = await keyWith({
      key: { models: ['acme/*', 'beta/large'] },
      end_users: { models: ['beta/*'], endpoints: ['chat'] },
    });
    const ask = (route: Route, fields: object) => askRoute(ruled.gateway, rawKey, route, fields);
    expect((await ask('chat/completions', { model: 'acme/small' })).status).toBe(200);
    expect(codeOf(await ask('chat/completions', { model: 'acme/small', user: 'ann' }))).toBe(
      'model_not_allowed',
    );
    expect((await ask('chat/completions', { model: 'beta/large', user: 'ann' })).status).toBe(200);
    expect((await ask('embeddings', { model: 'acme/embed' })).status).toBe(200);
    expect(codeOf(await ask('embeddings', { model: 'acme/embed', user: 'ann' }))).toBe(
      'endpoint_not_allowed',
    );
    const metadata = { user_id: 'ann' };
    expect(codeOf(await ask('messages', { model: 'acme/small', metadata }))).toBe('model_not_allowed');
  });
});

it('refusals by rules are listed with their model and code', async () => {
  const { id, rawKey } = await keyWith({ key: { models: ['acme/*'] } });
  await askRoute(ruled.gateway, rawKey, 'chat/completions', { model: 'beta/small' });
  await using sql = openSql(ruled.gateway.databaseUrl);
  const listed = () =>
    sql.rows('SELECT model_id, error_code, status FROM refused_requests WHERE key_id = $1', id);
  await until(async () => (await listed()).length > 0);
  expect(await listed()).toEqual([{ model_id: 'beta/small', error_code: 'model_not_allowed', status: 403 }]);
});
