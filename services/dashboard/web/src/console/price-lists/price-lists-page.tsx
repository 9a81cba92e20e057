import { Badge, Button, Group, Stack } from '@mantine/core';
import { IconReceipt } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { changeManagement } from '../../api/management.ts';
import { refreshManagement } from '../../api/use-management.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ManagedTable } from '../../components/managed-table.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { consolePaths } from '../../console-paths.ts';
import { formatCount } from '../../format/format-count.ts';
import { useMayChange } from '../../session/use-may-change.ts';
import { PriceListDialog } from './price-list-dialog.tsx';
import { termsSummary } from './terms-text.ts';

/** Lists the price lists, and creates one. */
export function PriceListsPage() {
  const mayChange = useMayChange();
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <PageHeader
        title="Price lists"
        description="What accounts are charged: the prices of the catalog times a factor, or others."
        actions={mayChange && <Button onClick={() => setCreating(true)}>Create price list</Button>}
      />
      <Stack gap="md">
        <ManagedTable
          operation="listPriceLists"
          request={{ query: { limit: 100 } }}
          caption="Price lists"
          idOf={({ id }) => id}
          isFramed
          columns={[
            {
              id: 'name',
              header: 'Name',
              cell: ({ id, is_default, name }) => (
                <Group gap="xs">
                  <TextLink to={consolePaths.priceList(id)}>{name}</TextLink>
                  {is_default && <Badge variant="light">Default</Badge>}
                </Group>
              ),
            },
            { id: 'terms', header: 'Last version', cell: ({ version }) => termsSummary(version) },
            {
              id: 'from',
              header: 'Valid from',
              cell: ({ version }) => <Moment ms={Date.parse(version.valid_from)} />,
            },
            {
              id: 'accounts',
              header: 'Accounts',
              align: 'right',
              cell: ({ accounts }) => formatCount(accounts),
            },
          ]}
          empty={
            <EmptyState icon={<IconReceipt size={28} />} title="There is no price list">
              Accounts are charged at the prices of the catalog. Create a list to charge more.
            </EmptyState>
          }
        />
      </Stack>
      {isCreating && (
        <PriceListDialog
          title="Create price list"
          send={async (terms, name) => {
            const { body } = await changeManagement('createPriceList', { body: { ...terms, name } });
            await refreshManagement();
            await navigate(consolePaths.priceList(body.id));
          }}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  );
}
