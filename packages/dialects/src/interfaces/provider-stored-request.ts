/** A request about a response that a provider stores. */
export interface ProviderStoredRequest {
  what: 'response' | 'input_items' | 'cancel' | 'delete';
  /** The caller's id. */
  id: string;
  /** The provider's id. */
  responseId: string;
  /** The gateway's id of its model. */
  modelId: string;
  /** The caller's query, escaped; empty: none. */
  query: string;
  streamed: boolean;
  sealed(providerId: string, responseId: string): string;
}
