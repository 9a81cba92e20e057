import type { Model } from './matching-models.ts';

/** Returns true if at least one provider of the model has its credential, as far as known. */
export function isConfigured({ status }: Pick<Model, 'status'>): boolean {
  return status !== 'not_configured';
}
