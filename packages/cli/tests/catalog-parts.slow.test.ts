import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type Gatewayctl,
  MAIN,
  PROCESS_ENVIRONMENT,
  runWith,
  startGatewayctl,
} from './gatewayctl-fixture.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NOTHING = { added: [], changed: [], retired: [] };
const FIRST = `
providers:
  - { id: one, name: One, kind: openai-compatible, base_url: "https://one.example/v1" }
  - { id: two, name: Two, kind: openai-compatible, base_url: "https://two.example/v1" }
models:
  - { id: one/chat, name: Chat, capability: chat, tier: free, upstreams: [{ provider: one, model: chat }] }
  - id: one/both
    name: Both
    capability: chat
    tier: paid
    upstreams: [{ provider: one, model: both }, { provider: two, model: both }]
    pricing: { input_per_million_usd: "1", output_per_million_usd: "2" }
  - { id: two/chat, name: Chat, capability: chat, tier: free, upstreams: [{ provider: two, model: chat }] }
`;

let gatewayctl: Gatewayctl;

beforeEach(async () => {
  gatewayctl = await startGatewayctl();
  await gatewayctl.json('catalog', 'apply', '-f', file('first.yaml', FIRST));
});
afterEach(() => gatewayctl[Symbol.asyncDispose]());

const file = (name: string, text: string) => gatewayctl.file(name, text);

const catalog = z.object({
  providers: z.array(z.looseObject({ id: z.string() })),
  models: z.array(z.looseObject({ id: z.string(), aliases: z.array(z.string()).optional() })),
});
const shown = async () => catalog.parse(await gatewayctl.json('catalog', 'show'));
const idsShown = async () => {
  const { providers, models } = await shown();
  return { providers: providers.map(({ id }) => id), models: models.map(({ id }) => id) };
};

/** Returns the first code block of a language after a heading of docs/configuration.md. */
function documentedBlock(heading: string, language: string): string {
  const text = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
  const section = text.slice(text.indexOf(`\n${heading}\n`));
  const [, block] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(section) ?? [];
  if (block === undefined) throw new Error(`no block of ${language} after ${heading}`);
  return block;
}

/** Runs lines of the page in bash unchanged; only the program behind `npm run` is given. */
function runDocumented(lines: string): Promise<{ out: string; err: string }> {
  const npm = `npm() { shift 4; '${process.execPath}' '${MAIN}' "$@"; }`;
  const env = { ...PROCESS_ENVIRONMENT, ...gatewayctl.environment };
  return new Promise((resolve, reject) => {
    execFile('bash', ['-ec', `${npm}\n${lines}`], { cwd: gatewayctl.folder, env }, (error, out, err) => {
      if (error === null) resolve({ out, err });
      else reject(new Error(`${out}${err}`, { cause: error }));
    });
  });
}

describe('the example of a custom provider in docs/configuration.md', () => {
  it('takes names from the simulated models of npm start, and from no others', async () => {
    const bundled = (name: string) => join(ROOT, `deploy/catalogs/${name}.yaml`);
    await gatewayctl.json('catalog', 'apply', '-f', bundled('simulated'));
    const add = ['catalog', 'add', '-f', bundled('openai')];
    expect((await gatewayctl.run(add)).err).toContain('is also an alias of "simulated/chat-free"');

    const { ADMIN_TOKEN: admin_token, CONTROL_PLANE_ADDRESS: control_plane_address } = gatewayctl.environment;
    file('dev.json', JSON.stringify({ admin_token, control_plane_address }));
    const ofNpmStart = ['--data-dir', gatewayctl.folder];
    const { code, out } = await runWith({}, [...ofNpmStart, ...add]);
    expect([code, out]).toEqual([0, expect.stringContaining('simulated/chat-free')]);
    const { models } = await shown();
    const ownersOf = (name: string) =>
      models.filter(({ aliases = [] }) => aliases.includes(name)).map(({ id }) => id);
    expect(ownersOf('gpt-4o-mini')).toEqual(['openai/gpt-4o-mini']);
    // A name that the file does not give stays.
    expect(ownersOf('rerank-v3.5')).toEqual(['simulated/rerank-free']);
    expect(models.map(({ id }) => id)).toContain('simulated/chat-free');

    const clash = `
models:
  - id: two/other
    aliases: [gpt-4o-mini]
    name: Other
    capability: chat
    tier: free
    upstreams: [{ provider: openai, model: other }]
`;
    const again = await runWith({}, [...ofNpmStart, 'catalog', 'add', '-f', file('clash.yaml', clash)]);
    expect(again.err).toContain('"gpt-4o-mini" is also an alias of "openai/gpt-4o-mini"');
  });

  it('works unchanged, and leaves the rest of the catalog as it is', async () => {
    file('acme.yaml', documentedBlock('## The catalog', 'yaml'));
    const commands = documentedBlock('## The catalog', 'sh').trimEnd().split('\n');
    const [rehearse = '', add = '', remove = '', ...rest] = commands;
    const before = await idsShown();
    expect((await runDocumented(rehearse)).out).toMatch(
      /^added +provider +acme\n(.*\n)*Dry run: nothing was applied/m,
    );
    expect(await idsShown()).toEqual(before);
    expect((await runDocumented(add)).out).toMatch(/^added +model +acme\/small$/m);
    expect(await idsShown()).toEqual({
      providers: ['acme', ...before.providers],
      models: ['acme/small', ...before.models],
    });
    expect((await runDocumented(remove)).out).toMatch(/^retired +model +acme\/small$/m);
    expect(await idsShown()).toEqual({ ...before, providers: ['acme', ...before.providers] });
    expect((await runDocumented(rest.join('\n'))).out).toMatch(/^No changes\.$/m);
  });
});

describe('gatewayctl catalog add', () => {
  it('adds and updates the entries of the file, and nothing else', async () => {
    const before = await shown();
    const part = `
providers: [{ id: one, name: One again, kind: openai-compatible, base_url: "https://one.example/v2" }]
models:
  - { id: one/new, name: New, capability: chat, tier: free, upstreams: [{ provider: one, model: new }] }
`;
    expect(await gatewayctl.json('catalog', 'add', '-f', file('part.yaml', part))).toMatchObject({
      revision: expect.any(Number),
      dry_run: false,
      providers: { ...NOTHING, changed: ['one'] },
      models: { ...NOTHING, added: ['one/new'] },
    });
    const after = await shown();
    expect(after.providers.find(({ id }) => id === 'one')).toMatchObject({ name: 'One again' });
    expect(after.models.filter(({ id }) => id !== 'one/new')).toEqual(before.models);
    expect(await gatewayctl.json('catalog', 'add', '-f', file('part.yaml', part))).toMatchObject({
      providers: NOTHING,
      models: NOTHING,
    });
  });

  it('adds models to an existing provider, and changes a price', async () => {
    const part = `
models:
  - id: two/paid
    name: Paid
    capability: chat
    tier: paid
    upstreams: [{ provider: two, model: paid }]
    pricing: { input_per_million_usd: "3", output_per_million_usd: "4" }
`;
    const { code, out } = await gatewayctl.run(['catalog', 'add', '-f', '-'], part);
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^added +model +two\/paid$/m),
    });
    const dearer = await gatewayctl.run(['catalog', 'add', '-f', '-'], part.replace('"4"', '"5"'));
    expect(dearer.out).toMatch(/^changed +model +two\/paid$/m);
    expect((await shown()).models.find(({ id }) => id === 'two/paid')).toMatchObject({
      pricing: { output_per_million_usd: '5' },
    });
  });

  it('adds a virtual model of existing models, and refuses an alias or tier that conflicts with them', async () => {
    const part = `
models:
  - id: two/mixed
    name: Mixed
    kind: virtual
    aliases: [gpt-4o]
    models: [{ model: one/chat, weight: 19 }, { model: two/chat }]
`;
    const added = await gatewayctl.json('catalog', 'add', '-f', file('part.yaml', part));
    expect(added).toMatchObject({ providers: NOTHING, models: { ...NOTHING, added: ['two/mixed'] } });
    expect((await shown()).models.find(({ id }) => id === 'two/mixed')).toMatchObject({
      kind: 'virtual',
      aliases: ['gpt-4o'],
      models: [
        { model: 'one/chat', weight: 19 },
        { model: 'two/chat', weight: 1 },
      ],
    });
    expect(await gatewayctl.json('catalog', 'add', '-f', file('part.yaml', part))).toMatchObject({
      models: NOTHING,
    });
    const clash = part.replace('two/mixed', 'two/other').replace('two/chat', 'two/none');
    const { err } = await gatewayctl.run(['catalog', 'add', '-f', file('clash.yaml', clash)]);
    expect(err).toContain('line 6: models[0].aliases[0]: "gpt-4o" is also an alias of "two/mixed"');
    expect(err).toContain('line 7: models[0].models[1].model: no model "two/none" in this file');
    const dearer = `
models:
  - id: one/chat
    name: Chat
    capability: chat
    tier: paid
    upstreams: [{ provider: one, model: chat }]
    pricing: { input_per_million_usd: "1", output_per_million_usd: "2" }
`;
    const paid = await gatewayctl.run(['catalog', 'add', '-f', file('dearer.yaml', dearer)]);
    expect(paid.err).toMatch(/models: conflict with "two\/mixed" of the catalog: .*free.*paid/);
    expect((await shown()).models.find(({ id }) => id === 'one/chat')).toMatchObject({ tier: 'free' });
  });

  it('changes nothing if the file has a mistake, and names the place of the mistake', async () => {
    const before = await shown();
    const bad = `
providers: [{ id: new, name: New, kind: openai-compatible, base_url: "https://new.example" }]
models:
  - { id: new/a, name: A, capability: chat, tier: cheap, upstreams: [{ provider: one, model: a }] }
`;
    const wrong = await gatewayctl.run(['catalog', 'add', '-f', '-'], bad);
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).toContain('models[0].tier');
    const unknown = bad.replace('cheap', 'free').replace('provider: one', 'provider: nobody');
    const nobody = await gatewayctl.run(['catalog', 'add', '-f', '-'], unknown);
    expect(nobody.err).toMatch(/models\[0\]\.upstreams\[0\]\.provider: .*"nobody"/);
    for (const text of ['{}', 'providers: []', 'nonsense: 1', '7', 'models: 7', '[]']) {
      const outcome = await gatewayctl.run(['catalog', 'add', '-f', '-'], text);
      expect({ text, ...outcome }).toMatchObject({
        text,
        code: 1,
        err: expect.stringMatching(/^gatewayctl: \S/),
      });
      expect(outcome.err).not.toContain('unexpected');
    }
    expect(await shown()).toEqual(before);
  });
});

describe('gatewayctl catalog remove', () => {
  it('retires one model, and nothing else', async () => {
    expect(await gatewayctl.json('catalog', 'remove', 'one/chat')).toMatchObject({
      revision: expect.any(Number),
      dry_run: false,
      providers: NOTHING,
      models: { ...NOTHING, retired: ['one/chat'] },
    });
    expect(await idsShown()).toEqual({ providers: ['one', 'two'], models: ['one/both', 'two/chat'] });
  });

  it('retires a provider and the models that no other provider serves; other models lose this upstream', async () => {
    const changes = {
      providers: { ...NOTHING, retired: ['one'] },
      models: { ...NOTHING, changed: ['one/both'], retired: ['one/chat'] },
    };
    expect(await gatewayctl.json('catalog', 'remove', 'one', '--dry-run')).toMatchObject(changes);
    expect((await idsShown()).providers).toEqual(['one', 'two']);
    expect(await gatewayctl.json('catalog', 'remove', 'one')).toMatchObject(changes);
    expect(await idsShown()).toEqual({ providers: ['two'], models: ['one/both', 'two/chat'] });
    expect((await shown()).models[0]).toMatchObject({ upstreams: [{ provider: 'two', model: 'both' }] });
  });

  it('removes a model from fallbacks and virtual models, and retires a virtual model without members', async () => {
    const part = `
models:
  - { id: one/mixed, name: Mixed, kind: virtual, models: [{ model: one/chat }, { model: two/chat }] }
  - id: two/new
    name: New
    capability: chat
    tier: free
    fallbacks: [two/chat, one/chat]
    upstreams: [{ provider: two, model: new }]
`;
    await gatewayctl.json('catalog', 'add', '-f', file('part.yaml', part));
    expect(await gatewayctl.json('catalog', 'remove', 'two/chat')).toMatchObject({
      models: { ...NOTHING, changed: ['two/new', 'one/mixed'], retired: ['two/chat'] },
    });
    const { models } = await shown();
    expect(models.find(({ id }) => id === 'two/new')).toMatchObject({ fallbacks: ['one/chat'] });
    expect(models.find(({ id }) => id === 'one/mixed')).toMatchObject({ models: [{ model: 'one/chat' }] });
    expect(await gatewayctl.json('catalog', 'remove', 'one/chat')).toMatchObject({
      models: { ...NOTHING, changed: ['two/new'], retired: ['one/chat', 'one/mixed'] },
    });
    await gatewayctl.json('catalog', 'apply', '-f', file('shown.yaml', JSON.stringify(await shown())));
    const alone = '{ id: one/alone, name: A, kind: virtual, models: [{ model: two/new }] }';
    await gatewayctl.json('catalog', 'add', '-f', file('alone.yaml', `models: [${alone}]`));
    expect(await gatewayctl.json('catalog', 'remove', 'one/alone')).toMatchObject({
      models: { ...NOTHING, retired: ['one/alone'] },
    });
  });

  it('fails if the catalog has no such model or provider', async () => {
    for (const id of ['nobody', 'one/nothing', '']) {
      expect(await gatewayctl.run(['catalog', 'remove', id])).toEqual({
        code: 1,
        out: '',
        err: `gatewayctl: there is no model or provider ${id} in the catalog\n`,
      });
    }
  });
});
