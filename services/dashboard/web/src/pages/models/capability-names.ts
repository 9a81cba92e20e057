/** What a capability is called where people choose; one that is not known yet is called as in the catalog. */
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
