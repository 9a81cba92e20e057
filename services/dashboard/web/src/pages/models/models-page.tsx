import { Button, Code, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { IconCube, IconSearch } from '@tabler/icons-react';
import { EmptyState } from '../../components/empty-state.tsx';
import { Hint } from '../../components/hint.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useAddressQuery } from '../../components/use-address-query.ts';
import { countOf } from '../../format/format-count.ts';
import { capabilityName } from './capability-names.ts';
import { type Model, matchingModels } from './matching-models.ts';
import { ModelCard } from './model-card.tsx';
import classes from './models.module.css';
import { useModelStates } from './use-model-states.ts';
import { useModels } from './use-models.ts';

/** Shows the catalog, also to visitors who are not signed in. */
export function ModelsPage() {
  const models = useModels();
  return (
    <>
      <PageHeader
        title="Models"
        description="Every model of this gateway, with its price and its current state."
      />
      <Stack gap="md">
        <QueryState query={models} loading="Reading the catalog" />
        {models.data !== undefined && <Catalog models={models.data.data} />}
      </Stack>
    </>
  );
}

const NO_FILTERS = { q: undefined, capability: undefined, tier: undefined };

function Catalog({ models }: { models: readonly Model[] }) {
  const [query, changeQuery] = useAddressQuery();
  const stateOf = useModelStates();
  const filter = {
    text: query.get('q') ?? '',
    capability: query.get('capability') ?? '',
    tier: query.get('tier') ?? '',
  };
  const change = (name: keyof typeof NO_FILTERS, value: string) =>
    changeQuery({ [name]: value }, { isTyping: name === 'q' });
  if (models.length === 0) {
    return (
      <EmptyState icon={<IconCube size={28} />} title="There are no models yet">
        The operator of this gateway adds models with <Code>gatewayctl catalog apply -f FILE</Code>. They show
        here at once.
      </EmptyState>
    );
  }
  const shown = matchingModels(models, filter);
  const capabilities = [...new Set(models.map(({ capability }) => capability))];
  return (
    <>
      <Group gap="sm" align="flex-end">
        <TextInput
          type="search"
          label="Search"
          placeholder="Name, id or provider"
          value={filter.text}
          leftSection={<IconSearch size={16} aria-hidden />}
          onChange={(event) => change('q', event.currentTarget.value)}
          flex={{ base: '1 1 100%', sm: '1 1 260px' }}
        />
        <NativeSelect
          label="Capability"
          flex="1 1 140px"
          maw={{ sm: 200 }}
          value={filter.capability}
          data={[
            { value: '', label: 'All' },
            ...capabilities.map((value) => ({ value, label: capabilityName(value) })),
          ]}
          onChange={(event) => change('capability', event.currentTarget.value)}
        />
        <NativeSelect
          label="Price"
          flex="1 1 140px"
          maw={{ sm: 200 }}
          value={filter.tier}
          data={[
            { value: '', label: 'Free and paid' },
            { value: 'free', label: 'Free' },
            { value: 'paid', label: 'Paid' },
          ]}
          onChange={(event) => change('tier', event.currentTarget.value)}
        />
      </Group>
      <Hint role="status">
        {shown.length === models.length
          ? countOf(models.length, 'model')
          : `${shown.length} of ${countOf(models.length, 'model')}`}
      </Hint>
      {shown.length === 0 ? (
        <EmptyState
          icon={<IconSearch size={28} />}
          title="No model fits"
          action={
            <Button variant="default" onClick={() => changeQuery(NO_FILTERS)}>
              Show all models
            </Button>
          }
        >
          Search for fewer words, or choose another capability or price.
        </EmptyState>
      ) : (
        <ul className={`plain-list ${classes.grid}`} aria-label="Models">
          {shown.map((model) => (
            <ModelCard key={model.id} model={model} state={stateOf(model)} />
          ))}
        </ul>
      )}
    </>
  );
}
