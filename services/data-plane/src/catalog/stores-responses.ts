import type { RoutedProvider } from './model-table.ts';

/** Whether a provider speaks Responses, and so keeps them. */
export function storesResponses({ dialect }: RoutedProvider): boolean {
  return dialect.endpoints.chat?.kept !== undefined;
}
