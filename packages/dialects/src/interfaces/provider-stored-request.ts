/** A question about a response that a provider keeps. */
export interface ProviderStoredRequest {
  what: 'response' | 'input_items' | 'cancel' | 'delete';
  /** The id that the caller has sent, and the provider's own. */
  id: string;
  responseId: string;
  /** The model that has made it, as callers know it. */
  modelId: string;
  /** The caller's query, escaped; empty: none. */
  query: string;
  /** True if the events are asked for. */
  streamed: boolean;
  sealed(providerId: string, responseId: string): string;
}
