import type { Environment } from '@model-gateway/service-kit';
import { CommandFailure } from '../command-failure.ts';
import type { Io } from '../io.ts';
import { readText, useProxyOf } from '../provider-models/index.ts';
import { readInput } from '../read-input.ts';
import { parseExactJson } from './exact-json.ts';
import { readLitellmModel } from './litellm-source.ts';
import { readModelsDevModel } from './models-dev-source.ts';
import { readOpenRouterModel } from './openrouter-source.ts';
import { type PriceSourceFile, recordOrEmpty } from './source-model.ts';

const DEADLINE_MS = 60_000;
/** Bounds memory. The largest known file is several times smaller. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Entries of litellm's file that are not models. */
const NO_MODELS = ['sample_spec', 'fallback_generalizations'];

/**
 * Reads a price file of litellm, models.dev or OpenRouter.
 * @param from a path, `-` for standard input, or a URL
 * @throws CommandFailure
 */
export async function readPriceSource(
  from: string,
  io: Pick<Io, 'readStdin' | 'environment' | 'readEnvFile'>,
): Promise<PriceSourceFile> {
  const text = /^https?:\/\//.test(from)
    ? await fetchText(from, { ...io.readEnvFile(), ...io.environment })
    : await readInput(from, io);
  let content: unknown;
  try {
    content = parseExactJson(text);
  } catch (error) {
    throw invalidSource(from, `is not JSON: ${error instanceof Error ? error.message : error}`, error);
  }
  return priceSourceOf(content) ?? invalidSource(from);
}

/** Recognizes the format by its members. @returns undefined for any other content */
export function priceSourceOf(content: unknown): PriceSourceFile | undefined {
  const file = recordOrEmpty(content);
  if (Array.isArray(file.data)) {
    const models = file.data
      .map(recordOrEmpty)
      .filter(({ id, pricing }) => typeof id === 'string' && pricing);
    if (models.length === 0) return undefined;
    const entries = new Map(models.map((model) => [String(model.id), model]));
    return { format: 'openrouter', entries, read: readOpenRouterModel };
  }
  const listed = Object.entries(file).map(([key, value]) => [key, recordOrEmpty(value)] as const);
  if (listed.some(([, { litellm_provider: provider }]) => provider !== undefined)) {
    const entries = new Map(listed.filter(([key]) => !NO_MODELS.includes(key)));
    return { format: 'litellm', entries, read: readLitellmModel };
  }
  const entries = new Map(
    listed.flatMap(([provider, { models }]) =>
      Object.entries(recordOrEmpty(models)).map(([name, model]) => [
        `${provider}/${name}`,
        recordOrEmpty(model),
      ]),
    ),
  );
  return entries.size === 0 ? undefined : { format: 'models.dev', entries, read: readModelsDevModel };
}

async function fetchText(url: string, environment: Environment): Promise<string> {
  useProxyOf(environment);
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DEADLINE_MS) });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    return await readText(response, MAX_BYTES);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure([`cannot read ${url}: ${reason}`], { code: 'unreadable_file', cause: error });
  }
}

function invalidSource(from: string, problem?: string, cause?: unknown): never {
  const expected =
    "expected litellm's model_prices_and_context_window.json, api.json of models.dev, or OpenRouter's /api/v1/models";
  throw new CommandFailure([`${from}: ${problem ?? expected}`], { code: 'invalid_file', cause });
}
