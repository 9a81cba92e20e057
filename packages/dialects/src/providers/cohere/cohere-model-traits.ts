/** Request features of a Cohere model. Cohere refuses the others with 400. */
export interface CohereModelTraits {
  /** It takes `thinking`, and thoughts of earlier turns. */
  thinks: boolean;
  seesPictures: boolean;
}

/** A model that is not known is most likely a new one, and Cohere itself says what such a one lacks. */
const OF_A_NEW_MODEL: CohereModelTraits = { thinks: true, seesPictures: true };

/**
 * By how the provider's name of a model begins; the first that fits decides.
 *
 * Source: https://docs.cohere.com/docs/models, "Modality" and "Reasoning" of each model.
 */
const BY_PREFIX: readonly [prefix: string, CohereModelTraits][] = [
  ['command-a-vision', { thinks: false, seesPictures: true }],
  ['command-a-reasoning', { thinks: true, seesPictures: false }],
  ['command-a-translate', { thinks: false, seesPictures: false }],
  ['command-a-03', { thinks: false, seesPictures: false }],
  ['command-r', { thinks: false, seesPictures: false }],
  ['c4ai-aya-vision', { thinks: false, seesPictures: true }],
  ['c4ai-aya', { thinks: false, seesPictures: false }],
];

export function cohereModelTraits(upstreamModel: string): CohereModelTraits {
  return BY_PREFIX.find(([prefix]) => upstreamModel.startsWith(prefix))?.[1] ?? OF_A_NEW_MODEL;
}
