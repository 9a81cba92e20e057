import type { Model } from './matching-models.ts';

/**
 * Returns true if it makes sense to call the model: as far as known, one of its providers has its credential.
 */
export function isConfigured({ status }: Pick<Model, 'status'>): boolean {
  return status !== 'not_configured';
}
