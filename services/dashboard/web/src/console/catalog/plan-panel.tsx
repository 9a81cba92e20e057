import { Alert, Button, List, SimpleGrid, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ResponseOf } from '../../../../wire/management.ts';
import type { Action } from '../../api/use-action.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Fact } from '../../components/fact.tsx';
import { Panel } from '../../components/panel.tsx';
import { countOf, formatCount } from '../../format/format-count.ts';
import { DifferenceTable } from './difference-table.tsx';

export type Plan = ResponseOf<'planCatalog'>;

interface PlanPanelProps {
  plan: Plan;
  apply: Action<[]>;
}

/** Shows what a catalog changes and whom that affects, and applies it. */
export function PlanPanel({ plan, apply }: PlanPanelProps) {
  const { affected, differences, missing_credentials: missing } = plan;
  const ofChange = (change: string) =>
    formatCount(differences.filter((each) => each.change === change).length);
  return (
    <Panel
      title="Plan"
      description={`Compared with the catalog in force, revision ${plan.revision}.`}
      actions={
        differences.length > 0 && (
          <Button loading={apply.isPending} onClick={() => apply.run()}>
            Apply
          </Button>
        )
      }
    >
      <ErrorNotice error={apply.error} />
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <Fact label="Added">{ofChange('added')}</Fact>
        <Fact label="Changed">{ofChange('changed')}</Fact>
        <Fact label="Retired">{ofChange('retired')}</Fact>
        <Fact label="Affected">
          {countOf(affected.accounts, 'account')}, {countOf(affected.keys, 'key')}
        </Fact>
      </SimpleGrid>
      {missing.length > 0 && (
        <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title="Credentials are missing">
          {missing.map(({ provider, variable }) => `${variable} of ${provider}`).join(', ')}. Store them on
          the page of providers.
        </Alert>
      )}
      {affected.models.length + affected.rules.count > 0 && (
        <Stack gap={4}>
          <List size="sm" aria-label="Who is affected">
            {affected.models.slice(0, 20).map(({ accounts, id, keys }) => (
              <List.Item key={id} className="break-anywhere">
                {id}: {countOf(accounts, 'account')} and {countOf(keys, 'key')} used it in the last 30 days.
              </List.Item>
            ))}
            {affected.rules.count > 0 && (
              <List.Item className="break-anywhere">
                {countOf(affected.rules.count, 'rule names', 'rules name')} what is changed or retired:{' '}
                {affected.rules.owners.join(', ')}
                {affected.rules.count > affected.rules.owners.length && ', …'}
              </List.Item>
            )}
          </List>
        </Stack>
      )}
      <DifferenceTable differences={differences} />
    </Panel>
  );
}
