import type { RoutedProvider } from './model-table.ts';

export function storesResponses({ protocol }: RoutedProvider): boolean {
  return protocol.endpoints.chat?.providerStored !== undefined;
}
