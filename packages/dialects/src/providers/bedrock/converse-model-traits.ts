/** Request features of a model. Converse refuses others with 400. */
export interface ConverseModelTraits {
  cachePoints: 'messages' | 'none';
  /** The place of `top_k` in `additionalModelRequestFields`; undefined: none. */
  topK: 'top_k' | 'inferenceConfig.topK' | undefined;
  /** It accepts `strict` for tools. */
  strictTools: boolean;
  /** The place of the reasoning effort; undefined: none. */
  effort: 'reasoning_effort' | 'reasoningConfig' | undefined;
}

const OTHER_MODELS: ConverseModelTraits = {
  cachePoints: 'none',
  topK: undefined,
  strictTools: false,
  effort: undefined,
};
const NOVA: ConverseModelTraits = { ...OTHER_MODELS, cachePoints: 'messages', topK: 'inferenceConfig.topK' };
/** Makers of open models, which enforce schemas on Bedrock. */
const STRICT = /(?:^|[./])(?:deepseek|google|minimax|mistral|moonshot|moonshotai|nvidia|openai|qwen|zai)\./;

/**
 * Sources: Bedrock's user guide, "Prompt caching for faster model inference", "Get validated JSON results
 * from models", "Inference request parameters and response fields for foundation models".
 */
export function converseModelTraits(upstreamModel: string): ConverseModelTraits {
  if (/(?:^|[./])amazon\.nova-2/.test(upstreamModel)) return { ...NOVA, effort: 'reasoningConfig' };
  if (/(?:^|[./])amazon\.nova/.test(upstreamModel)) return NOVA;
  if (!STRICT.test(upstreamModel)) return OTHER_MODELS;
  return {
    ...OTHER_MODELS,
    strictTools: true,
    topK: /(?:^|[./])mistral\./.test(upstreamModel) ? 'top_k' : undefined,
    effort: /(?:^|[./])openai\.gpt-oss/.test(upstreamModel) ? 'reasoning_effort' : undefined,
  };
}
