import type { ResponseOf } from '../../../../wire/management.ts';

type Actor = NonNullable<ResponseOf<'listCatalogVersions'>['data'][number]['applied_by']>;

/** Names who changed something. */
export function actorName({ email, id, type }: Actor): string {
  return email ?? (id === null ? type.replaceAll('_', ' ') : `${type.replaceAll('_', ' ')} ${id}`);
}
