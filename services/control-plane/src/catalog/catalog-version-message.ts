import { omitAbsent } from '../omit-absent.ts';
import type { VersionSummary } from './catalog-version-store.ts';

export function catalogVersionMessage({ action, actor, appliedAt, changes, revision }: VersionSummary) {
  return {
    revision: String(revision),
    ...omitAbsent({ action, appliedAtMs: appliedAt?.getTime() }),
    ...(actor !== null && { actor: omitAbsent(actor) }),
    ...(changes !== null && {
      providers: countsMessage(changes.providers),
      models: countsMessage(changes.models),
    }),
  };
}

function countsMessage({
  added,
  changed,
  retired,
}: NonNullable<VersionSummary['changes']>['providers' | 'models']) {
  return { added: added.count, changed: changed.count, retired: retired.count };
}
