import type { PlainCatalogInput } from '@model-gateway/shared';
import { modelEntry, providerEntry, simulatedCatalog } from '@model-gateway/test-kit';
import { matrixOptions, modelIdOf } from '../matrix/cell.ts';
import { MATRIX_KINDS } from '../matrix/kinds.ts';
import type { ScriptedProvider } from '../providers/scripted-provider.ts';

export const CHAT_MODELS: readonly string[] = MATRIX_KINDS.map(modelIdOf);
export const TRANSCRIBE = 'fuzz/transcribe';

/** Builds a catalog of every kind of provider, with a paid model whose recordings the gateway measures. */
export function fuzzedCatalog(baseUrl: string, silent: Pick<ScriptedProvider, 'baseUrl'>): PlainCatalogInput {
  const simulated = simulatedCatalog(baseUrl);
  const kinds = matrixOptions(MATRIX_KINDS).document?.(baseUrl);
  const pricing = { audio_second_usd: '0.0001' };
  return {
    providers: [...simulated.providers, ...(kinds?.providers ?? []), providerEntry('silent', silent.baseUrl)],
    models: [
      ...simulated.models,
      ...(kinds?.models ?? []).flatMap((model) => ('upstreams' in model ? [model] : [])),
      modelEntry(TRANSCRIBE, { silent: 'any' }, { capability: 'transcription', tier: 'paid', pricing }),
    ],
  };
}

/** Returns the same transcription for any file, without usage. */
export const transcribes: ScriptedProvider['respond'] = (res) => {
  res.writeHead(200, { 'content-type': 'application/json' });
  res.end('{"text":"hello"}');
};
