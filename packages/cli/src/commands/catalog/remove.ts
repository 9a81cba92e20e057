import type { Command } from 'commander';
import { catalogChangesJson, catalogChangesText } from '../../output/catalog-changes.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addCatalogRemove(catalog: Command, run: RunCommand): void {
  catalog
    .command('remove')
    .description('retire one model, or one provider with the models that nobody else serves')
    .argument('<MODEL_OR_PROVIDER_ID>', 'as `catalog show` has it; that of a model has a slash')
    .option('--dry-run', 'only report what would change', false)
    .action((id: string, { dryRun }: { dryRun: boolean }) =>
      run(async (client) => {
        const answer = await client.callOnce(CALL_DEADLINE_MS, 'catalog', 'removeFromCatalog', {
          id,
          dryRun,
        });
        const result = catalogChangesJson(answer, dryRun);
        return { json: result, text: catalogChangesText(result) };
      }),
    );
}
