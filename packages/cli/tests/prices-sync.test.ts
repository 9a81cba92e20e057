import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { bundledFiles } from '../src/catalog-file/bundled-files.ts';
import {
  DECIDED_KEPT,
  DECIDED_LIMITS,
  DECIDED_NOTES,
  DECIDED_PRICES,
  DECIDED_STATES,
  type Decision,
} from './decided-differences.ts';
import { type Gatewayctl, runWith, startGatewayctl } from './gatewayctl-fixture.ts';

const FOLDER = fileURLToPath(new URL('../../../deploy/catalogs', import.meta.url));
const priceFile = (name: string) => join(import.meta.dirname, 'price-files', `${name}.json`);

const report = z.object({
  format: z.string(),
  models: z.array(
    z.object({
      model: z.string(),
      state: z.string(),
      entries: z.array(z.string()),
      changes: z.array(
        z.looseObject({ price: z.string(), current: z.string().nullable(), source: z.string() }),
      ),
      limits: z.array(z.looseObject({ member: z.string() })),
      kept: z.array(z.string()),
      notes: z.array(z.looseObject({ kind: z.string(), field: z.string() })),
    }),
  ),
  applied: z.looseObject({ revision: z.number() }).nullable(),
});

let gatewayctl: Gatewayctl;

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

describe('the bundled catalogs', () => {
  beforeAll(async () => {
    const files = bundledFiles(FOLDER)
      .filter((path) => !path.endsWith('simulated.yaml'))
      .map((path) =>
        parse(readFileSync(path, 'utf8').replaceAll(/\$\{\w+\}/g, 'us-east-1'), { schema: 'core' }),
      );
    const all = {
      providers: files.flatMap(({ providers }) => providers),
      models: files.flatMap(({ models }) => models),
    };
    await gatewayctl.json('catalog', 'apply', '-f', gatewayctl.file('all.json', JSON.stringify(all)));
  });

  it.each(['litellm', 'models-dev'] as const)(
    'differ from the entries of %s only in what was decided',
    async (file) => {
      const { models } = report.parse(
        await gatewayctl.json('prices', 'sync', '--from', priceFile(file), '--dry-run'),
      );
      expect(models.length).toBeGreaterThan(100);
      const used = new Set<object>();
      const undecided = models.flatMap(({ changes, kept, limits, model, notes, state }) => {
        const isDecided = (
          decisions: readonly (Omit<Decision, 'members'> & { members?: RegExp })[],
          member = '',
        ) => {
          const decision = decisions.find(
            (each) => each.file === file && each.models.test(model) && (each.members?.test(member) ?? true),
          );
          if (decision !== undefined) used.add(decision);
          return decision !== undefined;
        };
        return [
          ...(state === 'compared' || isDecided(DECIDED_STATES) ? [] : [`${model}: ${state}`]),
          ...changes
            .filter(({ price }) => !isDecided(DECIDED_PRICES, price))
            .map(({ current, price, source }) => `${model}: ${price} ${current} → ${source}`),
          ...(state === 'compared' ? kept : [])
            .filter((price) => !isDecided(DECIDED_KEPT, price))
            .map((price) => `${model}: ${price} only here`),
          ...limits
            .filter(({ member }) => !isDecided(DECIDED_LIMITS, member))
            .map((limit) => `${model}: ${JSON.stringify(limit)}`),
          // Zero: prices of reranking by tokens, which Bedrock bills by searches.
          ...notes
            .filter(({ kind }) =>
              ['unknown', 'inexact', 'invalid', 'promotion', 'other_tiers'].includes(kind),
            )
            .filter(({ field }) => !isDecided(DECIDED_NOTES, field))
            .map((note) => `${model}: ${JSON.stringify(note)}`),
        ];
      });
      expect(undecided).toEqual([]);
      const all = [
        ...[...DECIDED_PRICES, ...DECIDED_STATES, ...DECIDED_KEPT],
        ...[...DECIDED_LIMITS, ...DECIDED_NOTES],
      ];
      expect(all.filter((each) => each.file === file && !used.has(each))).toEqual([]);
    },
  );
});

const CATALOG = {
  providers: [
    {
      ...{ id: 'acme', name: 'Acme', kind: 'openai-compatible', base_url: 'https://api.openai.com/v1' },
      ...{ credential_env: 'ACME_API_KEY', headers: { 'x-extra': '1' } },
    },
  ],
  models: [
    {
      ...{ id: 'acme/small', name: 'Small', capability: 'chat', tier: 'paid', context_length: 64_000 },
      ...{
        aliases: ['small'],
        fallbacks: ['acme/large'],
        upstreams: [{ provider: 'acme', model: 'gpt-small' }],
      },
      pricing: { input_per_million_usd: '1.00', output_per_million_usd: '2', web_search_request_usd: '0.01' },
    },
    {
      ...{
        id: 'acme/large',
        name: 'Large',
        capability: 'chat',
        tier: 'paid',
        timeouts_ms: { total: 900_000 },
      },
      upstreams: [{ provider: 'acme', model: 'my-deployment' }],
      pricing: { input_per_million_usd: '10', output_per_million_usd: '20' },
    },
    {
      ...{ id: 'acme/gone', name: 'Gone', capability: 'chat', tier: 'paid' },
      upstreams: [{ provider: 'acme', model: 'gpt-gone' }],
      pricing: { input_per_million_usd: '1', output_per_million_usd: '1' },
    },
    { ...{ id: 'acme/mixed', name: 'Mixed', kind: 'virtual', models: [{ model: 'acme/gone' }] } },
  ],
};

/** Returns litellm's file with prices of one model for input and output. */
const prices = (input: string, output: string, more = '') => `{
  "gpt-small": {"litellm_provider": "openai", "input_cost_per_token": ${input}, "output_cost_per_token": ${output}, "max_input_tokens": 128000},
  "gpt-gone": {"litellm_provider": "openai", "input_cost_per_token": 0.0, "output_cost_per_token": 0.0}${more}
}`;

describe('prices sync', () => {
  const shown = async () =>
    z
      .object({ providers: z.array(z.unknown()), models: z.array(z.looseObject({ id: z.string() })) })
      .parse(await gatewayctl.json('catalog', 'show'));
  const versions = async () => {
    await using sql = openSql(gatewayctl.databaseUrl);
    return await sql.rows(
      "SELECT model_id, max(version) AS version FROM model_prices WHERE model_id LIKE 'acme/%' GROUP BY 1 ORDER BY 1",
    );
  };
  const sync = (text: string, ...args: string[]) =>
    gatewayctl.run(['prices', 'sync', '--from', gatewayctl.file('prices.json', text), ...args]);
  const today = new Date().toISOString().slice(0, 10);

  beforeAll(async () => {
    await gatewayctl.json('catalog', 'apply', '-f', gatewayctl.file('acme.json', JSON.stringify(CATALOG)));
  });

  it('applies nothing above the threshold without a yes, and then changes prices alone', async () => {
    const before = await shown();
    const text = prices('1.5e-06', '2.1e-06');
    for (const args of [[], ['--threshold', '49.9'], ['--dry-run', '--yes']]) {
      const { code, out } = await sync(text, ...args);
      expect([code, out]).toEqual([
        args.includes('--dry-run') ? 0 : 1,
        expect.stringMatching(/^acme\/small +input_per_million_usd +1\.00 +1\.50 +\+50 %$/m),
      ]);
      expect(out).toContain('othing was applied');
      expect(out).toMatch(/^acme\/gone +the source lacks a price that the model needs/m);
      expect(out).toMatch(/^acme\/large +not in the source/m);
    }
    expect(await shown()).toEqual(before);

    const { code, out } = await sync(text, '--yes');
    expect([code, out]).toEqual([0, expect.stringMatching(/^changed +model +acme\/small$/m)]);
    const after = await shown();
    const [small] = before.models.filter(({ id }) => id === 'acme/small');
    expect(after).toEqual({
      ...before,
      models: before.models.map((model) =>
        model.id === 'acme/small'
          ? {
              ...small,
              pricing: {
                ...{ input_per_million_usd: '1.50', output_per_million_usd: '2.10' },
                web_search_request_usd: '0.01',
              },
              prices_from: [
                {
                  ...{ source: 'prices.json', date: today },
                  prices: ['input_per_million_usd', 'output_per_million_usd'],
                },
              ],
            }
          : model,
      ),
    });
    const stored = [
      { model_id: 'acme/gone', version: 1 },
      { model_id: 'acme/large', version: 1 },
      { model_id: 'acme/small', version: 2 },
    ];
    expect(await versions()).toEqual(stored);
    expect((await sync(text)).out).toContain('No changes.');
    // Prices that are confirmed at another place are the same version.
    const renamed = gatewayctl.file('renamed.json', text);
    expect((await gatewayctl.run(['prices', 'sync', '--from', renamed])).out).toMatch(
      /^changed +model +acme\/small$/m,
    );
    expect(await versions()).toEqual(stored);
  });

  it('asks on a terminal', async () => {
    const before = await shown();
    const from = gatewayctl.file('dearer.json', prices('3e-06', '4.2e-06'));
    const asked: string[] = [];
    const answer = (line: string) =>
      runWith(gatewayctl.environment, ['prices', 'sync', '--from', from], '', {
        inputIsTerminal: true,
        readLine: async (question) => {
          asked.push(question);
          return line;
        },
      });
    for (const no of ['', 'n', 'nay']) expect(await answer(no)).toMatchObject({ code: 1 });
    expect(await shown()).toEqual(before);
    expect(asked[0]).toBe('2 prices change by more than 20 %, or are new. Apply everything? [y/N] ');
    const { code, out } = await answer('y');
    expect([code, out.match(/input_per_million_usd/g)]).toEqual([0, ['input_per_million_usd']]);
    expect(JSON.stringify(await shown())).toContain('"output_per_million_usd":"4.20"');
  });

  it('takes a URL, a chosen entry, chosen models, and contexts where they are asked for', async () => {
    const text = prices(
      '3e-06',
      '4.2e-06',
      ', "gpt-big": {"litellm_provider": "openai", "input_cost_per_token": 1.1e-05, "output_cost_per_token": 2.1e-05}',
    );
    const server = createServer((request, response) => {
      response.writeHead(request.url?.startsWith('/prices.json') ? 200 : 404).end(text);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const address = server.address();
      const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/prices.json`;
      const match = ['--match', 'acme/large=gpt-big', '--model', 'acme/large'];
      const answer = await gatewayctl.json('prices', 'sync', '--from', `${url}?token=secret`, ...match);
      expect(report.parse(answer)).toMatchObject({
        models: [{ model: 'acme/large', state: 'compared', entries: ['gpt-big'] }],
        applied: { models: { changed: ['acme/large'] } },
      });
      expect((await shown()).models).toContainEqual(
        expect.objectContaining({
          pricing: { input_per_million_usd: '11.00', output_per_million_usd: '21.00' },
          prices_from: [{ source: url, date: today }],
        }),
      );
      const gone = await gatewayctl.run(['prices', 'sync', '--from', url.replace('prices', 'gone')]);
      expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('it answered 404')]);
    } finally {
      server.close();
    }
    expect((await sync(text)).out).toMatch(/^acme\/small +context_length +64000 +128000$/m);
    const context = async () => (await shown()).models.find(({ id }) => id === 'acme/small')?.context_length;
    expect(await context()).toBe(64_000);
    await sync(text, '--limits');
    expect(await context()).toBe(128_000);
  });

  it('makes limits narrower only after a yes', async () => {
    const before = await shown();
    const narrow = prices('3e-06', '4.2e-06').replace(
      '"max_input_tokens": 128000',
      '"max_input_tokens": 127999, "max_output_tokens": 1000',
    );
    const { code, out } = await sync(narrow, '--limits');
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/^Nothing was applied\. 2 limits become narrower/m),
    ]);
    expect(await shown()).toEqual(before);
    expect(await sync(narrow, '--limits', '--yes')).toMatchObject({ code: 0 });
    expect((await shown()).models).toContainEqual(
      expect.objectContaining({ id: 'acme/small', context_length: 127_999, max_output_tokens: 1_000 }),
    );
  });

  it.each([
    [['--match', 'acme/none=gpt-small'], 'there is no model acme/none'],
    [['--match', 'acme/small=gpt-none'], 'the price file has no entry gpt-none'],
    [['--model', 'acme/none'], 'there is no model acme/none'],
  ])('%j is a mistake', async (args, message) => {
    const { code, err } = await sync(prices('1e-06', '1e-06'), ...args);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });

  it.each([
    ['{"a": 1}', 'expected litellm'],
    ['{"a": ', 'is not JSON'],
  ])('%s is no price file', async (text, message) => {
    const { code, err } = await sync(text);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });
});
