/**
 * Whether a model is of Anthropic, by its id, that of an inference profile, or the ARN of either. The ARN of an
 * application inference profile does not tell: such a model is asked by Converse, which it takes as well.
 */
export function isClaude(upstreamModel: string): boolean {
  return /(?:^|[./])anthropic\./.test(upstreamModel);
}

/** @param action such as `converse` */
export function modelPath(upstreamModel: string, action: string): string {
  return `/model/${encodeURIComponent(upstreamModel)}/${action}`;
}
