import type { ContentsSeal } from './contents-seal.ts';
import type { ContentsStore } from './contents-store.ts';

/** Seals the keys of contents with the current pepper after it was replaced (ContentsSeal.renew). */
export async function renewContentsKeys({
  contentsSeal,
  contentsStore,
}: {
  contentsSeal: ContentsSeal;
  contentsStore: Pick<ContentsStore, 'renew'>;
}): Promise<void> {
  await contentsStore.renew((key) => contentsSeal.renew(key, key.accountId));
}
