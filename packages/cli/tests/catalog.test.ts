import { join } from 'node:path';
import { catalogDocument } from '@model-gateway/shared';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gatewayctl, startGatewayctl } from './gatewayctl-fixture.ts';

const CATALOG = `
providers:
  - id: acme
    name: Acme AI
    kind: openai-compatible
    base_url: https://api.acme.example/v1
    credential_env: ACME_API_KEY
    headers: { x-extra: "1" }
    timeouts_ms: { first_byte_plain: 120000 }
models:
  - id: acme/small
    name: Small
    capability: chat
    tier: paid
    context_length: 128000
    upstreams:
      - { provider: acme, model: small-2026-01 }
    pricing:
      input_per_million_usd: "0.10"
      output_per_million_usd: "0.60"
  - id: acme/embed
    name: Embed
    capability: embeddings
    tier: free
    deprecated_at: 2030-01-01T00:00:00Z
    upstreams:
      - { provider: acme, model: embed-1, priority: 2, weight: 5 }
    timeouts_ms: { connect: 1000, total: 900000 }
`;

const NOTHING = { added: [], changed: [], retired: [] };

let gatewayctl: Gatewayctl;

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

const file = (name: string, text: string) => gatewayctl.file(name, text);

describe('gatewayctl catalog', () => {
  it('applies with --if-none only where no catalog was ever applied', async () => {
    await using fresh = await startGatewayctl();
    const path = file('first.yaml', CATALOG);
    const first = await fresh.json('catalog', 'apply', '-f', path, '--if-none');
    expect(first).toMatchObject({ revision: 1, providers: { added: ['acme'] } });
    const second = await fresh.run([
      'catalog',
      'apply',
      '-f',
      file('second.yaml', 'providers: []'),
      '--if-none',
    ]);
    expect(second).toMatchObject({ code: 0, out: expect.stringMatching(/^There is a catalog already/) });
    expect(await fresh.json('catalog', 'show')).toMatchObject({ providers: [{ id: 'acme' }] });
  });

  it('lists the catalogs that were in force, and rolls back to one', async () => {
    await using fresh = await startGatewayctl();
    const apply = (text: string) => fresh.run(['catalog', 'apply', '-f', '-'], text);
    await apply(CATALOG);
    const first = await fresh.json('catalog', 'show');
    await apply(CATALOG.replace('0.60', '0.70').slice(0, CATALOG.indexOf('  - id: acme/embed')));
    const by = { type: 'operator_token', id: null, email: null };
    const counts = { added: 0, changed: 0, retired: 0 };
    expect(await fresh.json('catalog', 'history')).toEqual([
      {
        ...{ revision: 2, applied_at: expect.any(String), applied_by: by, action: 'catalog.applied' },
        changes: { providers: counts, models: { ...counts, changed: 1, retired: 1 } },
      },
      {
        ...{ revision: 1, applied_at: expect.any(String), applied_by: by, action: 'catalog.applied' },
        changes: { providers: { ...counts, added: 1 }, models: { ...counts, added: 2 } },
      },
    ]);
    expect((await fresh.run(['catalog', 'history'])).out).toMatch(
      /operator_token +catalog.applied +\+0 ~0 -0 +\+0 ~1 -1$/m,
    );
    const models = { ...NOTHING, added: ['acme/embed'], changed: ['acme/small'] };
    const plan = await fresh.json('catalog', 'rollback', '1', '--dry-run');
    expect(plan).toMatchObject({ revision: 2, dry_run: true, models });
    expect(await fresh.json('catalog', 'rollback', '1')).toMatchObject({ revision: 3, models });
    expect(await fresh.json('catalog', 'show')).toEqual(first);
    const unknown = await fresh.run(['catalog', 'rollback', '9']);
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('there is no catalog version 9') });
    expect((await fresh.run(['catalog', 'rollback', 'last'])).err).toContain('must be a revision');
  });

  it('applies a file, after a dry run, and reports what was added, changed and retired', async () => {
    const path = file('catalog.yaml', CATALOG);
    const added = {
      guardrails: NOTHING,
      providers: { ...NOTHING, added: ['acme'] },
      models: { ...NOTHING, added: expect.arrayContaining(['acme/small', 'acme/embed']) },
      // No data plane runs here that could say whether it has the credential.
      warnings: [expect.objectContaining({ provider: 'acme', configuration: 'unknown' })],
    };
    const rehearsal = await gatewayctl.json('catalog', 'apply', '-f', path, '--dry-run');
    expect(rehearsal).toEqual({ revision: expect.any(Number), dry_run: true, ...added });
    expect(await gatewayctl.json('catalog', 'show')).toEqual({ providers: [], models: [] });

    const applied = await gatewayctl.json('catalog', 'apply', '-f', path);
    expect(applied).toEqual({ revision: expect.any(Number), dry_run: false, ...added });

    const smaller = CATALOG.replace('0.60', '0.70').slice(0, CATALOG.indexOf('  - id: acme/embed'));
    const { code, out } = await gatewayctl.run(['catalog', 'apply', '-f', '-'], smaller);
    expect(code).toBe(0);
    expect(out).toMatch(/^changed +model +acme\/small$/m);
    expect(out).toMatch(/^retired +model +acme\/embed$/m);
    expect(out).not.toContain('provider ');
  });

  it('shows a file that can be applied again unchanged, as JSON and as YAML', async () => {
    await gatewayctl.json('catalog', 'apply', '-f', file('catalog.yaml', CATALOG));
    const shown = await gatewayctl.json('catalog', 'show');
    const parsed = catalogDocument.parse(shown);
    expect(parsed.models.map(({ id }) => id).sort()).toEqual(['acme/embed', 'acme/small']);
    expect(parsed.models.find(({ id }) => id === 'acme/small')?.pricing).toEqual({
      input_per_million_usd: '0.10',
      output_per_million_usd: '0.60',
    });

    expect(parsed.providers[0]?.timeouts_ms.first_byte_plain).toBe(120_000);
    const embed = parsed.models.find(({ id }) => id === 'acme/embed');
    expect(embed?.timeouts_ms).toEqual({ connect: 1_000, total: 900_000 });

    const { out: yaml } = await gatewayctl.run(['catalog', 'show']);
    expect(yaml).toMatch(/^providers:\n {2}- id: acme\n/);
    for (const text of [JSON.stringify(shown), yaml]) {
      const again = await gatewayctl.json('catalog', 'apply', '-f', file('again.yaml', text));
      expect(again).toMatchObject({ providers: NOTHING, models: NOTHING });
    }
    const { out } = await gatewayctl.run(['catalog', 'apply', '-f', '-'], yaml);
    expect(out).toMatch(/^No changes\.\nThe catalog is at revision \d+\.\n$/);
  });

  it('reports every error of a bad file with its path, and changes nothing', async () => {
    await gatewayctl.json('catalog', 'apply', '-f', file('catalog.yaml', CATALOG));
    const before = await gatewayctl.json('catalog', 'show');
    const bad = CATALOG.replace('tier: paid', 'tier: cheap').replace(
      'provider: acme, model: embed-1',
      'provider: nobody, model: e',
    );
    const { code, out, err } = await gatewayctl.run(['catalog', 'apply', '-f', '-'], `${bad}nonsense: 1\n`);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    const lines = err.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(2);
    for (const line of lines) expect(line).toMatch(/^gatewayctl: \S/);
    expect(err).toContain('models[0].tier');
    expect(await gatewayctl.json('catalog', 'show')).toEqual(before);
  });

  it('names the line of every mistake, also of unknown fields, from top to bottom', async () => {
    const bad = CATALOG.replace('tier: paid', 'tier: cheap\n    colour: red');
    const text = `${bad}nonsense: 1\n`;
    const lineOf = (what: string) => text.split('\n').findIndex((line) => line.includes(what)) + 1;
    const { err } = await gatewayctl.run(['catalog', 'add', '-f', '-'], text);
    expect(err.trimEnd().split('\n')).toEqual([
      expect.stringContaining(`line ${lineOf('tier: cheap')}: models[0].tier: must be`),
      expect.stringContaining(`line ${lineOf('colour: red')}: models[0]: has no field "colour"`),
      expect.stringContaining(`line ${lineOf('nonsense: 1')}: catalog: has no field "nonsense"`),
    ]);
  });

  it('names the line of broken YAML, and a file that cannot be read', async () => {
    const path = file('broken.yaml', 'providers: [\n');
    expect(await gatewayctl.run(['catalog', 'apply', '-f', path])).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^gatewayctl: \S+broken\.yaml: line 2, column 1: .+\n$/),
    });
    const missing = await gatewayctl.run(['catalog', 'apply', '-f', join(gatewayctl.folder, 'missing.yaml')]);
    expect(missing).toMatchObject({ code: 1, err: expect.stringMatching(/missing\.yaml: ENOENT.*\n$/) });
  });
});
