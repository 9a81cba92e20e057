/** Request features of a Cohere model. Cohere refuses the others with 400. */
export interface CohereModelTraits {
  /** It takes `thinking`, and thoughts of earlier turns. */
  thinks: boolean;
  seesPictures: boolean;
}

/** An unknown model is probably new; Cohere rejects what it lacks. */
const NEW_MODEL: CohereModelTraits = { thinks: true, seesPictures: true };

/** The first matching prefix counts. Source: https://docs.cohere.com/docs/models. */
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
  return BY_PREFIX.find(([prefix]) => upstreamModel.startsWith(prefix))?.[1] ?? NEW_MODEL;
}
