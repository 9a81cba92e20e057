/** Request features of a model on Converse, which refuses the others with 400. */
export interface ConverseModelTraits {
  cachePoints: 'messages' | 'none';
  /** The member of the model's own fields that bounds the candidates of a token; undefined: there is none. */
  topK: 'top_k' | 'inferenceConfig.topK' | undefined;
  /** It keeps to the schemas of tools where it is told to. */
  strictTools: boolean;
  /** How the model is told how much to think; undefined: it cannot be told. */
  effort: 'reasoning_effort' | 'reasoningConfig' | undefined;
}

const OF_OTHERS: ConverseModelTraits = {
  cachePoints: 'none',
  topK: undefined,
  strictTools: false,
  effort: undefined,
};
const OF_NOVA: ConverseModelTraits = { ...OF_OTHERS, cachePoints: 'messages', topK: 'inferenceConfig.topK' };
/** Makers of open models, which keep to schemas there. */
const STRICT = /(?:^|[./])(?:deepseek|google|minimax|mistral|moonshot|moonshotai|nvidia|openai|qwen|zai)\./;

/**
 * By the provider's name of a model. Sources: user guide of Bedrock, "Prompt caching for faster model
 * inference", "Get validated JSON results from models" and "Inference request parameters and response fields
 * for foundation models".
 */
export function converseModelTraits(upstreamModel: string): ConverseModelTraits {
  if (/(?:^|[./])amazon\.nova-2/.test(upstreamModel)) return { ...OF_NOVA, effort: 'reasoningConfig' };
  if (/(?:^|[./])amazon\.nova/.test(upstreamModel)) return OF_NOVA;
  if (!STRICT.test(upstreamModel)) return OF_OTHERS;
  return {
    ...OF_OTHERS,
    strictTools: true,
    topK: /(?:^|[./])mistral\./.test(upstreamModel) ? 'top_k' : undefined,
    effort: /(?:^|[./])openai\.gpt-oss/.test(upstreamModel) ? 'reasoning_effort' : undefined,
  };
}
