import type { CatalogVersionMessage, ChangeCountsMessage } from '@model-gateway/contracts';
import { formatTable } from './format-table.ts';
import { timestampOrNull } from './timestamp.ts';

type CatalogVersionJson = ReturnType<typeof catalogVersionJson>;

/** A catalog that was in force. Null members: it is older than the history. */
export function catalogVersionJson({
  action,
  actor,
  appliedAtMs,
  models,
  providers,
  revision,
}: CatalogVersionMessage) {
  return {
    revision: Number(revision),
    applied_at: timestampOrNull(appliedAtMs),
    applied_by: actor && { type: actor.type, id: actor.id ?? null, email: actor.email ?? null },
    action: action ?? null,
    changes: providers && models && { providers: { ...providers }, models: { ...models } },
  };
}

export function catalogVersionsTable(versions: readonly CatalogVersionJson[]): string {
  return formatTable(
    ['REVISION', 'APPLIED', 'BY', 'ACTION', 'PROVIDERS', 'MODELS'],
    versions.map(({ action, applied_at, applied_by, changes, revision }) => [
      String(revision),
      applied_at ?? '-',
      applied_by?.email ?? applied_by?.id ?? applied_by?.type ?? '-',
      action ?? '-',
      countsText(changes?.providers),
      countsText(changes?.models),
    ]),
  );
}

/** Returns text such as `+2 ~1 -0`: added, changed and retired ones. */
function countsText(counts: ChangeCountsMessage | undefined): string {
  return counts === undefined ? '-' : `+${counts.added} ~${counts.changed} -${counts.retired}`;
}
