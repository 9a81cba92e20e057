import type { ApplyCatalogResponseMessage } from '@model-gateway/contracts';
import { credentialJson, credentialWarning } from './credential-tables.ts';
import { formatTable } from './format-table.ts';

interface Changes {
  added: string[];
  changed: string[];
  retired: string[];
}

type CatalogChangesJson = ReturnType<typeof catalogChangesJson>;

/** `warnings` name credentials that a data plane lacks, or that no data plane has reported. */
export function catalogChangesJson(answer: ApplyCatalogResponseMessage, dryRun: boolean) {
  const changes = (message: Changes | null): Changes => ({
    added: message?.added ?? [],
    changed: message?.changed ?? [],
    retired: message?.retired ?? [],
  });
  return {
    revision: Number(answer.revision),
    dry_run: dryRun,
    providers: changes(answer.providers),
    models: changes(answer.models),
    guardrails: changes(answer.guardrails),
    warnings: answer.missingCredentials.map(credentialJson).map((credential) => ({
      message: credentialWarning(credential),
      ...credential,
    })),
  };
}

/** Returns a line for each warning, for standard error; undefined when there are none. */
export function catalogWarningNote({ warnings }: CatalogChangesJson): string | undefined {
  if (warnings.length === 0) return undefined;
  return warnings.map(({ message }) => `Warning: ${message}.`).join('\n');
}

export function catalogChangesText(result: CatalogChangesJson): string {
  const rows = (['providers', 'models', 'guardrails'] as const).flatMap((kind) =>
    (['added', 'changed', 'retired'] as const).flatMap((change) =>
      result[kind][change].map((id) => [change, kind.slice(0, -1), id]),
    ),
  );
  const changes = rows.length === 0 ? 'No changes.\n' : formatTable(['CHANGE', 'KIND', 'ID'], rows);
  const outcome = result.dry_run
    ? `Dry run: nothing was applied; the catalog stays at revision ${result.revision}.`
    : `The catalog is at revision ${result.revision}.`;
  return `${changes}${outcome}\n`;
}
