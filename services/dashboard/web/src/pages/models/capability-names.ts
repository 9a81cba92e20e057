export const CAPABILITIES = [
  'chat',
  'completions',
  'embeddings',
  'rerank',
  'images',
  'speech',
  'transcription',
  'moderation',
] as const;

/** Returns the display name of a capability; for an unknown one, its id. */
export function capabilityName(capability: string): string {
  return NAMES.get(capability) ?? capability;
}

const NAMES = new Map<string, string>(
  CAPABILITIES.map((capability) => [capability, `${capability[0]?.toUpperCase()}${capability.slice(1)}`]),
);
