import { Badge, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import type { ResponseOf } from '../../../../wire/management.ts';
import { changeManagement, type Managed } from '../../api/management.ts';
import { useAction } from '../../api/use-action.ts';
import { refreshManagement, useManagement } from '../../api/use-management.ts';
import { BackLink } from '../../components/back-link.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import type { Column } from '../../components/entry-table.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Fact } from '../../components/fact.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { LongTable } from '../../components/long-table.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { formatCount } from '../../format/format-count.ts';
import { useMayChange } from '../../session/use-may-change.ts';
import { AuditPanel } from '../panels/audit-panel.tsx';
import { PriceListDialog } from './price-list-dialog.tsx';
import { exceptionsText } from './terms-text.ts';

type PriceList = ResponseOf<'getPriceList'>;

/** Shows a price list with its versions. */
export function PriceListPage() {
  const { priceListId = '' } = useParams();
  const list = useManagement('getPriceList', { path: { id: priceListId } });
  return (
    <>
      <BackLink to="/operate/price-lists">Price lists</BackLink>
      {list.data === undefined && <PageHeader title="Price list" />}
      <QueryState query={list} loading="Reading the price list" />
      {list.data !== undefined && <PriceListDetails key={priceListId} managed={list.data} />}
    </>
  );
}

function PriceListDetails({ managed }: { managed: Managed<'getPriceList'> }) {
  const list = managed.body;
  const { accounts, created_at, id, is_default, name, version, version_in_force, versions } = list;
  const path = { id };
  const mayChange = useMayChange();
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  const [toDelete, setToDelete] = useState<PriceList | null>(null);
  const setDefault = useAction(async () => {
    await changeManagement('changePriceList', { path, body: { is_default: !is_default } }, managed);
    await refreshManagement();
  });
  const remove = useAction(async (_list: PriceList) => {
    await changeManagement('deletePriceList', { path });
    await navigate('/operate/price-lists');
    await refreshManagement();
  });
  return (
    <>
      <PageHeader
        title={name}
        description="Price list"
        actions={
          mayChange && (
            <>
              <Button onClick={() => setAdding(true)}>Add version</Button>
              <Button variant="default" loading={setDefault.isPending} onClick={() => setDefault.run()}>
                {is_default ? 'Stop being the default' : 'Make it the default'}
              </Button>
              <Button variant="default" color="red" onClick={() => setToDelete(list)}>
                Delete
              </Button>
            </>
          )
        }
      />
      <ErrorNotice error={setDefault.error} />
      <Stack gap="lg">
        <Panel title="About this price list">
          <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="md">
            <Fact label="Id">
              <Identifier id={id} withCopy />
            </Fact>
            <Fact label="For">
              {is_default ? 'All accounts without a list of their own' : 'Accounts that you give it to'}
            </Fact>
            <Fact label="Accounts">{formatCount(accounts)}</Fact>
            <Fact label="Created">
              <Moment ms={Date.parse(created_at)} />
            </Fact>
          </SimpleGrid>
        </Panel>
        <Panel
          title="Versions"
          description="Receipts name the version by which a request was charged. Running requests keep theirs."
        >
          <LongTable
            caption="Versions"
            entries={versions}
            idOf={({ number }) => String(number)}
            columns={columnsOf(version_in_force)}
          />
        </Panel>
        <AuditPanel query={{ object_id: id }} />
      </Stack>
      {isAdding && (
        <PriceListDialog
          title="Add a version"
          current={{ factor: version.factor, exceptions: exceptionsText(version.models) }}
          send={async (body) => {
            await changeManagement('addPriceListVersion', { path, body });
            await refreshManagement();
            setAdding(false);
          }}
          onClose={() => setAdding(false)}
        />
      )}
      <ConfirmDialog
        subject={toDelete}
        title="Delete this price list?"
        confirmLabel="Delete price list"
        action={remove}
        onClose={() => setToDelete(null)}
      >
        {(shown) =>
          `“${shown.name}” must have no account, and not be the default. Receipts keep their prices.`
        }
      </ConfirmDialog>
    </>
  );
}

type Version = PriceList['versions'][number];

function columnsOf(inForce: number | null): [Column<Version>, ...Column<Version>[]] {
  return [
    {
      id: 'number',
      header: 'Version',
      cell: ({ number }) => (
        <Group gap="xs">
          {number}
          {number === inForce && <Badge color="green">In force</Badge>}
        </Group>
      ),
    },
    { id: 'from', header: 'Valid from', cell: ({ valid_from }) => <Moment ms={Date.parse(valid_from)} /> },
    { id: 'factor', header: 'Factor', cell: ({ factor }) => factor },
    {
      id: 'models',
      header: 'Exceptions',
      cell: ({ models }) =>
        models.length === 0
          ? 'None'
          : models.map(({ factor, model, pricing }) => (
              <Text key={`${model} ${factor}`} size="sm" className="break-anywhere">
                {model}:{' '}
                {factor ??
                  Object.entries(pricing ?? {})
                    .map(priceText)
                    .join(', ')}
              </Text>
            )),
    },
  ];
}

function priceText([name, value]: [string, unknown]): string {
  return typeof value === 'string' ? `${name} ${value}` : name;
}
