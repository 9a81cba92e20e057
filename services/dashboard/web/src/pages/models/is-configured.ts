import type { Model } from './matching-models.ts';

/** Whether it makes sense to send it a request: the gateway has a credential of one of its providers, as far as is known. */
export function isConfigured({ status }: Pick<Model, 'status'>): boolean {
  return status !== 'not_configured';
}
