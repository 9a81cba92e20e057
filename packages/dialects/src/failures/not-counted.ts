import { OfTheRequest } from './provider-errors.ts';

/**
 * The cause of a failure of a provider that does not count the prompts of this model, or not for this gateway:
 * another count has to do. It says nothing against its credential either, which may well be used for chats.
 */
export class NotCounted extends OfTheRequest {
  override readonly name = 'NotCounted';
}

export function isNotCounted(failure: unknown): boolean {
  for (let cause = failure; cause instanceof Error; { cause } = cause) {
    if (cause instanceof NotCounted) return true;
  }
  return false;
}
