import type { RoutedProvider } from './model-table.ts';

/** Returns true if a provider speaks Responses, and so keeps them. */
export function storesResponses({ protocol }: RoutedProvider): boolean {
  return protocol.endpoints.chat?.providerStored !== undefined;
}
