const IN_MESSAGES: Readonly<Record<string, string>> = {
  guardrail_intervened: 'refusal',
  content_filtered: 'refusal',
};

export function mapConverseStopReason(stopReason: unknown): unknown {
  const isOther = typeof stopReason === 'string' && Object.hasOwn(IN_MESSAGES, stopReason);
  return isOther ? IN_MESSAGES[stopReason] : stopReason;
}

/** `malformed_*`: Bedrock could not parse the model's output. Treats it as a failure. */
export function converseFailure(stopReason: unknown): string | undefined {
  return typeof stopReason === 'string' && stopReason.startsWith('malformed_')
    ? `the provider ended its answer with ${stopReason.slice(0, 100)}`
    : undefined;
}
