/** The name of a capability on the page. One that is not known here has its name in the catalog. */
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
