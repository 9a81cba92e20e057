/**
 * Takes ids of models and inference profiles, and their ARNs. The ARN of an application inference profile
 * does not show its model, so it goes to Converse, which works for all.
 */
export function isBedrockClaude(upstreamModel: string): boolean {
  return /(?:^|[./])anthropic\./.test(upstreamModel);
}

/** Returns the model behind an inference profile: operations such as CountTokens accept only that name. */
export function foundationModelOf(upstreamModel: string): string {
  return /(?:^|[./])(anthropic\.[^/]+)$/.exec(upstreamModel)?.[1] ?? upstreamModel;
}

/** @param action such as `converse` */
export function bedrockModelPath(upstreamModel: string, action: string): string {
  return `/model/${encodeURIComponent(upstreamModel)}/${action}`;
}
