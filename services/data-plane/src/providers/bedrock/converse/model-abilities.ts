/** What a model takes of a request by Converse, which refuses the rest with 400. */
export interface ConverseAbilities {
  /** Where a cache point may stand. */
  cachePoints: 'messages' | 'none';
  /** The member of the model's own fields that bounds the candidates of a token; undefined: there is none. */
  topK: 'top_k' | 'inferenceConfig.topK' | undefined;
  /** How the model is told how much to think; undefined: it cannot be told. */
  effort: 'reasoning_effort' | 'reasoningConfig' | undefined;
}

const OF_OTHERS: ConverseAbilities = { cachePoints: 'none', topK: undefined, effort: undefined };

/**
 * By the provider's name of a model.
 * Sources: user guide of Bedrock, "Prompt caching for faster model inference" and "Inference request
 * parameters and response fields for foundation models".
 */
export function abilitiesOf(upstreamModel: string): ConverseAbilities {
  if (/(?:^|[./])amazon\.nova-2/.test(upstreamModel))
    return { cachePoints: 'messages', topK: 'inferenceConfig.topK', effort: 'reasoningConfig' };
  if (/(?:^|[./])amazon\.nova/.test(upstreamModel))
    return { cachePoints: 'messages', topK: 'inferenceConfig.topK', effort: undefined };
  if (/(?:^|[./])mistral\./.test(upstreamModel)) return { ...OF_OTHERS, topK: 'top_k' };
  if (/(?:^|[./])openai\.gpt-oss/.test(upstreamModel)) return { ...OF_OTHERS, effort: 'reasoning_effort' };
  return OF_OTHERS;
}
