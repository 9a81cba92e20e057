import { ActionIcon, Badge, Group, UnstyledButton } from '@mantine/core';
import { IconMessageCircle } from '@tabler/icons-react';
import { Link } from 'react-router';
import { type Column, EntryTable } from '../../components/entry-table.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { formatCountShort } from '../../format/format-count.ts';
import { useOffersPlayground } from '../../session/use-may.ts';
import { type State, StatusMark } from '../status/status-mark.tsx';
import { capabilityName } from './capability-names.ts';
import type { GroupBy } from './group-models.ts';
import { isConfigured } from './is-configured.ts';
import type { Model } from './matching-models.ts';
import classes from './models.module.css';
import { priceSummary } from './price-summary.ts';

interface ModelTableProps {
  caption: string;
  models: readonly Model[];
  /** The grouping of the page: its column is left out. */
  groupBy: GroupBy;
  stateOf: (model: Model) => State;
  /** Opens the details of a model. */
  onOpen: (id: string) => void;
}

/** Lists models, each in a line: name, id, price, context and state. */
export function ModelTable({ caption, models, groupBy, stateOf, onOpen }: ModelTableProps) {
  const first: Column<Model> = {
    id: 'model',
    header: 'Model',
    width: '23%',
    cell: (model) => <Name model={model} onOpen={onOpen} />,
  };
  const group: Column<Model> =
    groupBy === 'provider'
      ? {
          id: 'capability',
          header: 'Capability',
          width: '11%',
          cell: ({ capability }) => capabilityName(capability),
        }
      : { id: 'provider', header: 'Provider', width: '11%', cell: ({ owned_by }) => owned_by };
  return (
    <EntryTable
      caption={caption}
      entries={models}
      idOf={({ id }) => id}
      cardsBelow="62em"
      columns={[
        first,
        { id: 'id', header: 'Id', width: '28%', cell: ({ id }) => <Identifier id={id} withCopy /> },
        group,
        {
          id: 'context',
          header: 'Context',
          align: 'right',
          width: '8%',
          isEmpty: ({ context_length: tokens }) => tokens === null,
          cell: ({ context_length: tokens }) => (tokens === null ? '–' : formatCountShort(tokens)),
        },
        { id: 'price', header: 'Price', align: 'right', width: '18%', cell: priceSummary },
        {
          id: 'state',
          header: 'Status',
          width: '12%',
          cell: (model) => <StatusMark state={stateOf(model)} configuration={model.configuration} />,
        },
      ]}
    />
  );
}

function Name({ model, onOpen }: { model: Model; onOpen: (id: string) => void }) {
  const { id, name, capability, deprecated_at } = model;
  const offersPlayground = useOffersPlayground();
  return (
    <Group gap={4} wrap="nowrap">
      <UnstyledButton className={classes.name} onClick={() => onOpen(id)} aria-haspopup="dialog">
        {name}
      </UnstyledButton>
      {offersPlayground && capability === 'chat' && isConfigured(model) && (
        <ActionIcon
          component={Link}
          to={`/dashboard/playground?model=${encodeURIComponent(id)}`}
          size={24}
          variant="subtle"
          title="Try it in the playground"
          aria-label={`Try it: ${name}`}
        >
          <IconMessageCircle size={14} aria-hidden />
        </ActionIcon>
      )}
      {deprecated_at !== undefined && <Badge color="orange">Deprecated</Badge>}
    </Group>
  );
}
