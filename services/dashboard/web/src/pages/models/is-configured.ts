import type { Model } from './matching-models.ts';

/**
 * Whether it makes sense to call the model: as far as is known, the gateway has a credential for one of its
 * providers.
 */
export function isConfigured({ status }: Pick<Model, 'status'>): boolean {
  return status !== 'not_configured';
}
