/** Returns the display name of a capability; for an unknown one, its id. */
export function capabilityName(capability: string): string {
  return NAMES[capability] ?? capability;
}

const NAMES: Record<string, string | undefined> = {
  chat: 'Chat',
  embeddings: 'Embeddings',
  rerank: 'Rerank',
  images: 'Images',
  speech: 'Speech',
  transcription: 'Transcription',
};
