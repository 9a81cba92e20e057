import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CatalogDocument, fileOfDocument } from '@model-gateway/shared';
import { startSimulatedProvider } from '@model-gateway/test-kit';
import { readBundledCatalogs } from '../src/catalog/bundled-catalogs.ts';
import type { DevelopmentFile } from '../src/data-dir/development-file.ts';
import { type NpmStart, startWithoutNpm, temporaryDirectory } from './npm-start.ts';

/** The providers whose keys are set, and the simulated model that serves each of their models. */
const SERVED: Readonly<Record<string, string>> = { anthropic: 'sim-claude-pro', openai: 'sim-gpt-pro' };

export const CLAUDE = 'anthropic/claude-opus-5-5';
const GPT = 'openai/gpt-6-astra';

export interface StartedWithKeys extends AsyncDisposable {
  file: DevelopmentFile;
  start: NpmStart;
  /** Stands for both providers. Refuses requests without their key, and fields that they do not know. */
  provider: Awaited<ReturnType<typeof startSimulatedProvider>>;
}

/** Starts the gateway with OPENAI_API_KEY, ANTHROPIC_API_KEY and the models of the bundled catalogs. */
export async function startWithKeys(): Promise<StartedWithKeys> {
  await using stack = new AsyncDisposableStack();
  const keys = { OPENAI_API_KEY: 'sk-openai', ANTHROPIC_API_KEY: 'sk-ant' };
  const provider = stack.use(await startSimulatedProvider({ apiKey: Object.values(keys), tokenDelayMs: 1 }));
  const { path } = stack.use(temporaryDirectory());
  const catalog = join(path, 'catalog.json');
  writeFileSync(catalog, JSON.stringify(fileOfDocument(catalogServedBy(provider.baseUrl))));
  const start = startWithoutNpm(path, ['--catalog', catalog], keys);
  const file = await start.running();
  const open = stack.move();
  return { file, start, provider, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

function catalogServedBy(baseUrl: string): CatalogDocument {
  const bundles = readBundledCatalogs().filter(({ name }) => name === 'simulated' || name in SERVED);
  const documents = bundles.map(({ name, document }) => {
    const model = SERVED[name];
    // Real models have the short names.
    if (model === undefined) {
      return { ...document, models: document.models.map((each) => ({ ...each, aliases: [] })) };
    }
    return {
      ...document,
      providers: document.providers.map((each) => ({ ...each, base_url: baseUrl })),
      models: document.models.map((each) => ({
        ...each,
        upstreams: each.upstreams.map((upstream) => ({ ...upstream, model })),
      })),
    };
  });
  return {
    providers: documents.flatMap(({ providers }) => providers),
    models: documents.flatMap(({ models }) => models).filter(({ capability }) => capability === 'chat'),
    virtualModels: [],
  };
}

/** Returns the body of a chat. @param characters length of the conversation so far */
export function longTurn(model: string, characters: number) {
  const words = 'what we have said so far '.repeat(Math.ceil(characters / 50));
  return {
    model,
    max_tokens: 32_000,
    stream: true,
    messages: [
      { role: 'user', content: words },
      { role: 'assistant', content: words },
      { role: 'user', content: 'Go on.' },
    ],
  };
}

/** @returns the status of the response, once all of it has come */
export async function statusOf(
  { file }: Pick<StartedWithKeys, 'file'>,
  path: string,
  body: object,
): Promise<number> {
  const response = await fetch(`${file.base_url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${file.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
}

/** Makes six requests with long conversations at the same time. @returns their statuses */
export async function sixAtOnce(gateway: Pick<StartedWithKeys, 'file'>): Promise<number[]> {
  return await Promise.all(
    [CLAUDE, GPT, CLAUDE, GPT, CLAUDE, GPT].map((model, place) => {
      const path = model === CLAUDE ? '/messages' : '/chat/completions';
      return statusOf(gateway, path, longTurn(model, (place + 1) * 100_000));
    }),
  );
}
