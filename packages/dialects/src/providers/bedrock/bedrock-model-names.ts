/**
 * Returns true if a model is of Anthropic, by its id, that of an inference profile, or the ARN of either. The
 * ARN of an application inference profile does not tell: such a model is asked by Converse, which it takes as
 * well.
 */
export function isBedrockClaude(upstreamModel: string): boolean {
  return /(?:^|[./])anthropic\./.test(upstreamModel);
}

/**
 * The model of Anthropic behind an inference profile, `anthropic.…`: what of the runtime does not invoke a
 * model knows it by that name alone.
 */
export function foundationModelOf(upstreamModel: string): string {
  return /(?:^|[./])(anthropic\.[^/]+)$/.exec(upstreamModel)?.[1] ?? upstreamModel;
}

/** @param action such as `converse` */
export function bedrockModelPath(upstreamModel: string, action: string): string {
  return `/model/${encodeURIComponent(upstreamModel)}/${action}`;
}
